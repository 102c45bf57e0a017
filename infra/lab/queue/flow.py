"""As fast as it goes, for a few seconds: one process pours messages in, another one takes them out.

Data flow: messages of BODY -> a queue or a topic -> messages and seconds
Run: daybreak lab queue

Each works as its broker's clients usually do. The queue has every message acknowledged by itself; a share group and a
partition have whole batches acknowledged.
"""

import time
from collections.abc import Callable
from typing import Any

from infra.failures import TransientFailure
from infra.lab.queue.job import Job, Way

BODY = b"7" * 100
"""A message of a load: 100 bytes, which are a number as the other messages are."""
SECONDS = 20.0
FLUSH_SECONDS = 25.0
BATCH = 500
POLL_SECONDS = 0.2
Wait = Callable[[], None]
Figure = tuple[int, float]
"""Messages, and the seconds that they took."""


def pour(job: Job, wait: Wait) -> Figure:
    """Send for so many seconds from the "go" on, and until the broker has all of it."""
    if job.way is Way.QUEUE:
        from infra.queue.connection import Connection

        with Connection(job.access.broker) as connection:
            return _timed(job, wait, lambda: connection.send(job.source, BODY, durable=job.durable), connection.flush)
    producer = kafka_producer(job.access.options)
    return _timed(job, wait, lambda: produce(producer, job.source), lambda: flush(producer, FLUSH_SECONDS))


def _timed(job: Job, wait: Wait, send: Callable[[], None], flush: Callable[[], object]) -> Figure:
    print("ready", flush=True)
    wait()
    began, messages = time.monotonic(), 0
    while time.monotonic() - began < job.seconds:
        send()
        messages += 1
    flush()
    return messages, time.monotonic() - began


def kafka_producer(options: dict[str, str | int | float | bool]) -> Any:
    """A producer that waits for all replicas."""
    from confluent_kafka import Producer

    return Producer(options | {"enable.idempotence": "true", "acks": "all"})


def produce(producer: Any, topic: str) -> None:
    """Put one message into the client's buffer, when there is room. Raises what the client raises."""
    while True:
        try:
            producer.produce(topic, BODY, partition=0)
        except BufferError:
            producer.poll(POLL_SECONDS)
            continue
        producer.poll(0)
        return


def flush(producer: Any, seconds: float) -> None:
    """Wait until the broker has all. Raises TransientFailure if it has not in time."""
    if left := producer.flush(seconds):
        raise TransientFailure(f"Kafka did not take {left:,} messages of the lab within {seconds:g} s")


def drain(job: Job, wait: Wait) -> Figure:
    """Take for so many seconds from the first message on, and acknowledge what was taken."""
    made = {Way.QUEUE: _of_queue, Way.SHARE: _of_share_group, Way.PARTITION: _of_partition}[job.way]
    # To join a share group takes a second. The others begin now: what a client fetches ahead must not count as taken.
    joined = made(job) if job.way is Way.SHARE else None
    print("ready", flush=True)
    wait()
    take = joined or made(job)
    messages, give_up = 0, time.monotonic() + SECONDS
    while not (messages := take()):
        if time.monotonic() > give_up:
            raise TimeoutError(f"no message came within {SECONDS:g} s")
    began = time.monotonic()
    while (took := time.monotonic() - began) < job.seconds:
        messages += take()
    return messages, took


def _of_queue(job: Job) -> Callable[[], int]:
    from infra.queue.connection import Connection

    connection = Connection(job.access.broker)
    connection.subscribe(job.source)

    def take() -> int:
        delivery = connection.receive(POLL_SECONDS)
        if delivery:
            connection.acknowledge(delivery)
        return int(delivery is not None)

    return take


def _of_share_group(job: Job) -> Callable[[], int]:
    from confluent_kafka import ShareConsumer

    # With the next poll the records of the last one are acknowledged.
    client = ShareConsumer(job.access.options | {"group.id": job.group, "max.poll.records": BATCH})
    client.subscribe([job.source])
    return lambda: sum(not record.error() for record in client.poll(POLL_SECONDS))


def _of_partition(job: Job) -> Callable[[], int]:
    from infra.lab.transports.log import COMMIT_SECONDS, reading

    own: dict[str, str | int | float | bool] = {
        "group.id": job.group,
        "enable.auto.commit": "false",
        "auto.offset.reset": "earliest",
        "enable.partition.eof": "true",
        # By default the client pauses for a second when it has fetched ahead what its memory may hold.
        "fetch.queue.backoff.ms": 10,
    }
    client, _ = reading(job.access.options | own, job.source, 0)
    committed = time.monotonic()

    def take() -> int:
        nonlocal committed
        records = [record for record in client.consume(BATCH, POLL_SECONDS) if not record.error()]
        if records and time.monotonic() - committed > COMMIT_SECONDS:
            client.commit(message=records[-1], asynchronous=False)
            committed = time.monotonic()
        return len(records)

    return take
