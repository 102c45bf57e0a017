"""A consumer of a queue, of a share group, and of a partition, with the same three verbs.

Data flow: a queue or a topic -> one message after the other -> acknowledged
Run: daybreak lab queue
Source: KIP-932, "Queues for Kafka"; librdkafka 2.16 has its client as a preview.
"""

from typing import Any, NamedTuple, Protocol

from infra.lab.queue.job import Job, Way

POLL_SECONDS = 0.05
SECONDS = 20.0
SESSION_MS = 6_000
"""A member of a consumer group that sends no heartbeat for so long is dead: the least that a broker allows by default."""
MANY = 500


class Taken(NamedTuple):
    """A message: its number, and what acknowledges it."""

    number: int
    receipt: Any


class Consumer(Protocol):
    """It takes messages; what it does not acknowledge comes again."""

    def take(self) -> Taken | None:
        """The next message, or None if there is none for a moment."""

    def acknowledge(self, taken: Taken) -> None:
        """Wait until the broker knows that the work on it is done."""

    def leave(self) -> None:
        """End in an orderly way."""


def consumer(job: Job) -> Consumer:
    """It can be reached when it is made. Only its own library is loaded."""
    match job.way:
        case Way.QUEUE:
            return QueueConsumer(job)
        case Way.SHARE:
            return ShareConsumer(job)
        case Way.PARTITION:
            return PartitionConsumer(job)


class QueueConsumer:
    """By STOMP. It acknowledges each message by itself."""

    def __init__(self, job: Job) -> None:
        from infra.queue import connection

        self._connection = connection.Connection(job.access.broker)
        headers = connection.FAN_OUT if job.fan_out else connection.QUEUE
        window = connection.ONE if job.one else connection.WINDOW
        self._connection.subscribe(job.source, window=window, headers=headers)
        self._connection.flush()

    def take(self) -> Taken | None:
        delivery = self._connection.receive(POLL_SECONDS)
        return Taken(int(delivery.body), delivery) if delivery else None

    def acknowledge(self, taken: Taken) -> None:
        self._connection.acknowledge(taken.receipt, wait=True)

    def leave(self) -> None:
        self._connection.close()


class ShareConsumer:
    """A member of a share group. It acknowledges each record by itself; the group's members share each partition."""

    def __init__(self, job: Job) -> None:
        from confluent_kafka import ShareConsumer as Client

        own = {"group.id": job.group, "share.acknowledgement.mode": "explicit"}
        self._client = Client(job.access.options | own | {"max.poll.records": 1 if job.one else MANY})
        self._client.subscribe([job.source])
        self._polled: list[Any] = []

    def take(self) -> Taken | None:
        # All that it has polled must be acknowledged before it may poll again.
        self._polled = self._polled or list(self._client.poll(POLL_SECONDS))
        if not self._polled or (record := self._polled.pop(0)).error():
            return None
        return Taken(int(record.value()), record)

    def acknowledge(self, taken: Taken) -> None:
        self._client.acknowledge(taken.receipt)
        for failure in self._client.commit_sync(SECONDS).values():
            if failure:
                raise failure

    def leave(self) -> None:
        self._client.close()


class PartitionConsumer:
    """It commits its offset: an acknowledgement of a record and of all before it."""

    def __init__(self, job: Job) -> None:
        from confluent_kafka import Consumer as Client

        from infra.lab.transports.log import reading

        own: dict[str, str | int | float | bool] = {
            "group.id": job.group,
            "group.protocol": "classic",
            "session.timeout.ms": SESSION_MS,
            "heartbeat.interval.ms": 500,
            "partition.assignment.strategy": "cooperative-sticky",
            "enable.auto.commit": "false",
            "auto.offset.reset": "earliest",
            "enable.partition.eof": "true",
        }
        self._came = None
        if job.partition is None:
            self._client = Client(job.access.options | own)
            self._client.subscribe([job.source])
        else:
            self._client, self._came = reading(job.access.options | own, job.source, job.partition)

    def take(self) -> Taken | None:
        record, self._came = self._came or self._client.poll(POLL_SECONDS), None
        return Taken(int(record.value() or b""), record) if record and not record.error() else None

    def acknowledge(self, taken: Taken) -> None:
        self._client.commit(message=taken.receipt, asynchronous=False)

    def leave(self) -> None:
        # Closed alone, a member without partitions would not leave: librdkafka 2.16 sends no LeaveGroup for it.
        self._client.unsubscribe()
        self._client.close()
