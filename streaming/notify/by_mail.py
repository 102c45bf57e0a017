"""A target that gets mail: what waits goes as one, and the next one waits its time.

Data flow: committed records behind the position -> Digest -> SMTP -> positions behind them
Run: daybreak up --with notify

An alert that comes alone is mailed at once. What comes within `notify_mail_seconds` of a mail is in the next one, as a digest: so
a million alerts are a few mails. Which records a mail has is written down before it is sent, so after a kill the same is sent.
"""

import asyncio
import time
from collections.abc import Mapping

from confluent_kafka import Consumer, TopicPartition
from confluent_kafka.admin import AdminClient

from infra.kafka import client
from infra.settings import Settings
from streaming.notify.courier import Courier
from streaming.notify.digest import Digest
from streaming.notify.log import READING, Place, Positions, begins, good, newest, places, still_there
from streaming.notify.mail import Mailer

LANE = "mail"
LOOK_SECONDS = 1.0
MOST = 1_000_000
"""Offsets of a partition in one mail."""
Ranges = dict[str, tuple[int, int]]


async def run(s: Settings, courier: Courier) -> None:
    """Mail until it is over. Raises TransientFailure if Kafka does not answer."""
    target, own = courier.target, courier.state.progress
    mailer, due, admin = Mailer(s, target.mail or ""), 0.0, client.admin()
    with client.consumer(f"notify-{target.name}", READING) as consumer:
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(courier.saving())
            while not courier.over.is_set():
                await courier.wait(max(due - time.monotonic(), LOOK_SECONDS))
                there = {one.text: one for one in await courier.blocking(places, s, admin, target.topics)}
                ranges = {place: at for place, at in own.sending.items() if place in there}
                ranges = ranges or await courier.blocking(_unsent, admin, there, own.positions)
                if not ranges or courier.over.is_set():
                    continue
                digest = await courier.blocking(_read, consumer, there, ranges)
                if digest.counts.total():
                    own.sending = ranges
                    await courier.save()
                    mail = digest.delivery(target.name, ranges, {place: there[place].topic_id for place in ranges})
                    moved = _Move(courier, there, ranges)
                    if await courier.deliver(LANE, mail, 0.0, mailer.attempt, moved):
                        due = time.monotonic() + s.notify_mail_seconds
                else:
                    courier.move(_Move(courier, there, ranges))
    await courier.save()


class _Move:
    """Moves the positions behind a mail."""

    def __init__(self, courier: Courier, there: Mapping[str, Place], ranges: Ranges) -> None:
        self._progress, self._there, self._ranges = courier.state.progress, there, ranges

    def __call__(self) -> None:
        for place, (_, end) in self._ranges.items():
            self._progress.positions[place] = self._there[place].topic_id, end
        self._progress.sending = {}


def _unsent(admin: AdminClient, there: Mapping[str, Place], positions: Positions) -> Ranges:
    """First and next offset of what waits now, per partition that has something."""
    first = {place: begins(one, positions) for place, one in there.items()}
    ends = {place: min(end, first[place] + MOST) for place, (_, end) in newest(admin, there.values()).items()}
    return {place: (first[place], end) for place, end in ends.items() if end > first[place]}


def _read(consumer: Consumer, there: Mapping[str, Place], ranges: Ranges) -> Digest:
    """What the records of the ranges say."""
    digest, left = Digest(), {there[place].at: (place, end) for place, (_, end) in ranges.items()}
    consumer.assign([TopicPartition(*there[place].at, first) for place, (first, _) in ranges.items()])
    heard = time.monotonic()
    while left:
        messages = consumer.consume(500, 1.0)
        heard = still_there(heard, bool(messages))
        for message in messages:
            is_record, at, offset = good(message), (message.topic() or "", message.partition() or 0), message.offset()
            if at not in left:
                continue
            place, end = left[at]
            if is_record and (offset or 0) < end:
                digest.take(there[place].name, message)
            # At the partition's end only marks of transactions are left of the range.
            if not is_record or (offset or 0) >= end - 1:
                del left[at]
    consumer.unassign()
    return digest
