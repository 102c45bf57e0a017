"""Records into the log for requests that wait: each knows when all in-sync replicas have its own.

Data flow: records of many requests -> one idempotent producer (acks=all), batched -> delivery report -> the request that waits
Run: daybreak up --with webhooks

A thread waits for delivery reports, and tells the loop of all that came at once. Records of requests that come together go out
together; one that comes alone waits LINGER_MS for company.
"""

import asyncio
from collections import deque
from dataclasses import dataclass
from functools import partial
from threading import Event, Thread

from confluent_kafka import KafkaError, KafkaException, Message, Producer

from infra.kafka import client
from infra.kafka.send import Headers
from infra.settings import settings
from streaming.webhooks.refused import Refused, Why

WAIT_SECONDS = 10.0
"""Longest wait for the replicas: a broker that restarts is back by then, and a sender's own limit is longer."""
LOOK_SECONDS, ANSWER_SECONDS = 1.0, 2.0
"""How often the broker is asked for its topics, and its longest answer: then it is away, and nothing new is taken."""
LINGER_MS = "2"
QUEUE_RECORDS, QUEUE_KB = "10000", "65536"
AGAIN_SECONDS = 2.0

Report = tuple["asyncio.Future[Written]", KafkaError | None, int, int]


@dataclass(frozen=True)
class Written:
    """Where the record is."""

    partition: int
    offset: int


class Log:
    """The producer of this process. `away`: why nothing is taken now, None if all is well; `broken`: it needs a new process."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.away: str | None = "its first look at Kafka"
        self.broken: str | None = None
        self._topics: set[str] = set()
        self._loop, self._over = loop, Event()
        self._reports: deque[Report] = deque()
        self._producer = Producer(
            {
                # The partition that Kafka's own Java clients would choose.
                "partitioner": "murmur2_random",
                "linger.ms": LINGER_MS,
                "reconnect.backoff.max.ms": "500",
                "error_cb": self._trouble,
            }
            | client.options()
            | {
                "enable.idempotence": "true",
                "acks": "all",
                "delivery.timeout.ms": str(int(WAIT_SECONDS * 1000)),
                "queue.buffering.max.messages": QUEUE_RECORDS,
                "queue.buffering.max.kbytes": QUEUE_KB,
            }
        )
        self._threads = [Thread(target=run, daemon=True) for run in (self._deliver, self._look)]
        for one in self._threads:
            one.start()

    async def write(self, topic: str, key: bytes, value: bytes, headers: Headers) -> Written:
        """The record's place, once all in-sync replicas have it. Raises Refused."""
        if self.broken or self.away:
            raise Refused(Why.KAFKA_AWAY, f"{self.broken or self.away}; send it again", AGAIN_SECONDS)
        if topic not in self._topics:
            raise Refused(
                Why.NO_TOPIC_YET,
                f"Kafka has no topic {topic!r} yet: the stream makes it when it starts; send it again",
                AGAIN_SECONDS,
            )
        waits: asyncio.Future[Written] = self._loop.create_future()
        try:
            self._producer.produce(topic, value, key, headers=headers, on_delivery=partial(self._report, waits))
        except BufferError:
            raise Refused(
                Why.QUEUE_FULL, f"{QUEUE_RECORDS} records wait for Kafka already; send it again", AGAIN_SECONDS
            ) from None
        except KafkaException as failure:
            raise _refused(failure.args[0], written=False) from failure
        return await waits

    @property
    def waiting(self) -> int:
        """Records that have no report yet."""
        return len(self._producer)

    def close(self) -> None:
        """Wait for the last reports."""
        self._producer.flush(WAIT_SECONDS)
        self._over.set()
        for one in self._threads:
            one.join()

    def _report(self, waits: "asyncio.Future[Written]", error: KafkaError | None, message: Message) -> None:
        self._reports.append((waits, error, message.partition() or 0, message.offset() or 0))

    def _deliver(self) -> None:
        while not self._over.is_set():
            self._producer.poll(0.5)
            if self._reports:
                came = list(self._reports)
                self._reports.clear()
                self._loop.call_soon_threadsafe(_tell, came)

    def _look(self) -> None:
        """Ask for all topics: of one that it is asked for by name, a broker may make one."""
        while True:
            try:
                there = self._producer.list_topics(timeout=ANSWER_SECONDS).topics
                self._topics = {name for name, one in there.items() if one.error is None}
                self.away = None
            except KafkaException as failure:
                self.away = f"Kafka at {settings().kafka_bootstrap} does not answer ({failure.args[0].str()})"
            if self._over.wait(LOOK_SECONDS):
                return

    def _trouble(self, error: KafkaError) -> None:
        if error.fatal():
            self.broken = f"the producer cannot go on and is started anew ({error.str()})"


def _tell(came: list[Report]) -> None:
    for waits, error, partition, offset in came:
        # A sender that has gone waits no longer.
        if waits.done():
            continue
        if error is None:
            waits.set_result(Written(partition, offset))
        else:
            waits.set_exception(_refused(error, written=None))


def _refused(error: KafkaError, written: bool | None) -> Refused:
    """What Kafka's error means to a sender; `written` None: it went out, and what became of it is not known."""
    if error.code() == KafkaError.MSG_SIZE_TOO_LARGE:
        return Refused(
            Why.TOO_LARGE, "the record is larger than the topic takes (max.message.bytes): send a smaller event"
        )
    if error.code() in (KafkaError.TOPIC_AUTHORIZATION_FAILED, KafkaError.CLUSTER_AUTHORIZATION_FAILED):
        return Refused(
            Why.REFUSED_BY_KAFKA, f"Kafka lets this program not write the topic: {error.str()}; see `daybreak status`"
        )
    if written is False:
        return Refused(Why.KAFKA_AWAY, f"Kafka takes nothing now: {error.str()}; send it again", AGAIN_SECONDS)
    return Refused(
        Why.NOT_CONFIRMED,
        f"not all in-sync replicas confirmed it within {WAIT_SECONDS:.0f} s ({error.str()}), and it may be in the log or not: "
        "send it again with the same event_id, which counts once",
        AGAIN_SECONDS,
        written=None,
    )
