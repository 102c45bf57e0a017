"""A target that gets requests: one record after another of each partition, the partitions side by side.

Data flow: committed records -> a lane per partition, bounded -> POST -> the partition's position
Run: daybreak up --with notify

All records of a key are in one partition, so they come in order. A record that fails holds up its partition, and no other.
"""

import asyncio
from collections import deque
from dataclasses import dataclass, field
from functools import partial

from confluent_kafka import Consumer, Message, TopicPartition
from confluent_kafka.admin import AdminClient

from infra.failures import TransientFailure
from infra.kafka import client
from infra.kafka.places import At
from infra.settings import Settings
from streaming.notify.courier import Courier
from streaming.notify.envelope import delivery
from streaming.notify.log import READING, Place, add, begins, good, places
from streaming.notify.post import Poster

BATCH = 100
MOST_RECORDS, MOST_BYTES = 200, 1_000_000
"""What waits in a lane before its partition is read no further; one more batch may come, of the bytes that are read ahead."""
READ_SECONDS, LOOK_SECONDS = 0.1, 5.0


@dataclass
class Lane:
    """What is read of a partition and not delivered yet; ends of the partition are among it."""

    place: Place
    records: deque[Message] = field(default_factory=deque)
    size: int = 0
    paused: bool = False
    came: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def is_full(self) -> bool:
        """Enough for now?"""
        return len(self.records) >= MOST_RECORDS or self.size >= MOST_BYTES

    def put(self, record: Message) -> None:
        """It waits now."""
        self.records.append(record)
        self.size += len(record.value() or b"")
        self.came.set()

    async def next(self) -> Message | None:
        """The oldest that waits; None when it is over."""
        while not self.records:
            self.came.clear()
            await self.came.wait()
            if not self.records:
                return None
        record = self.records.popleft()
        self.size -= len(record.value() or b"")
        return record


async def run(s: Settings, courier: Courier) -> None:
    """Deliver until it is over. Raises TransientFailure if Kafka does not answer, or a topic was made again."""
    target = courier.target
    with client.consumer(f"notify-{target.name}", READING) as consumer:
        async with Poster(target.url or "", target.secrets) as poster, asyncio.TaskGroup() as tasks:
            tasks.create_task(courier.saving())
            lanes, looked, admin = dict[At, Lane](), float("-inf"), client.admin()
            while not courier.over.is_set():
                now = asyncio.get_running_loop().time()
                if now - looked > LOOK_SECONDS:
                    for lane in await _more(s, courier, admin, consumer, lanes):
                        lanes[lane.place.at] = lane
                        tasks.create_task(_deliver(courier, poster, lane))
                    looked = now
                await _read(courier, consumer, lanes)
            for lane in lanes.values():
                lane.records.clear()
                lane.came.set()
    await courier.save()


async def _more(
    s: Settings, courier: Courier, admin: AdminClient, consumer: Consumer, lanes: dict[At, Lane]
) -> list[Lane]:
    """Lanes of the partitions that are new."""
    there = await courier.blocking(places, s, admin, courier.target.topics)
    for one in there:
        if one.at in lanes and lanes[one.at].place != one:
            raise TransientFailure(f"the topic {one.topic} was deleted and made again: it is read from its beginning")
    new = [one for one in there if one.at not in lanes]
    positions = courier.state.progress.positions
    add(consumer, new, positions)
    for one in new:
        positions[one.text] = one.topic_id, begins(one, positions)
    return [Lane(one) for one in new]


async def _read(courier: Courier, consumer: Consumer, lanes: dict[At, Lane]) -> None:
    """Read on in every partition whose lane has room."""
    for at, lane in lanes.items():
        if lane.is_full != lane.paused:
            (consumer.pause if lane.is_full else consumer.resume)([TopicPartition(*at)])
            lane.paused = lane.is_full
    if not lanes:
        await courier.wait(LOOK_SECONDS)
        return
    for message in await courier.blocking(consumer.consume, BATCH, READ_SECONDS):
        good(message)
        lanes[message.topic() or "", message.partition() or 0].put(message)


async def _deliver(courier: Courier, poster: Poster, lane: Lane) -> None:
    place, positions = lane.place, courier.state.progress.positions

    def move(offset: int) -> None:
        positions[place.text] = place.topic_id, offset

    while (record := await lane.next()) is not None and not courier.over.is_set():
        offset = record.offset() or 0
        if record.error() is not None:
            # The end: behind the last record may be marks of transactions.
            if offset > positions[place.text][1]:
                courier.move(partial(move, offset))
            continue
        own = delivery(place.name, place.topic_id, record)
        await courier.deliver(place.text, own, record.timestamp()[1] / 1000, poster.attempt, partial(move, offset + 1))
