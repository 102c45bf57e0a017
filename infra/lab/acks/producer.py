"""A producer of the lab: it sends numbered orders at a steady rate until it is told to stop, and remembers what was acknowledged.

Data flow: the shop's orders -> one partition; delivery reports -> Sent
Run: daybreak lab acks
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from threading import Event, Thread

from confluent_kafka import KafkaError, Message, Producer

from infra.failures import TransientFailure
from infra.kafka.client import Options
from infra.lab.acks.setting import Setting
from infra.lab.processes.message import Numbered

POLL_SECONDS = 0.002
FLUSH_SECONDS = 90
STEADY: Options = {
    "message.timeout.ms": FLUSH_SECONDS * 1000,
    # It hears of another leader soon, and finds a broker that is back.
    "topic.metadata.refresh.interval.ms": 1000,
    "reconnect.backoff.max.ms": 200,
    "queue.buffering.max.messages": 1_000_000,
}


@dataclass
class Sent:
    """Numbers before `count` were sent; of those `acknowledged`, how long each acknowledgement took (ms); `errors` others."""

    count: int = 0
    acknowledged: dict[int, float] = field(default_factory=dict)
    errors: int = 0


class Sender:
    """A context manager around one producer in a thread; leaving it waits until every order is acknowledged or given up."""

    def __init__(self, wire: Options, setting: Setting, topic: str, orders: Sequence[bytes], rate: float) -> None:
        self.sent = Sent()
        self._topic, self._orders, self._rate = topic, orders, rate
        self._over, self._held, self._failure = Event(), Event(), list[BaseException]()
        self._producer = Producer({**wire, **STEADY, **setting.options})
        self._thread = Thread(target=self._run, daemon=True)

    def __enter__(self) -> "Sender":
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._over.set()
        if kind is None:
            self._thread.join()
            if self._failure:
                raise TransientFailure(f"a producer of the lab failed: {self._failure[0]}") from self._failure[0]

    def hold(self) -> None:
        """Send nothing more until `go_on`, and wait until all that was sent is acknowledged or given up."""
        self._held.set()
        give_up = time.monotonic() + FLUSH_SECONDS
        while len(self._producer) and time.monotonic() < give_up:
            time.sleep(POLL_SECONDS)

    def go_on(self) -> None:
        """Send at the same rate again."""
        self._held.clear()

    def wait_acknowledged(self, count: int) -> None:
        """Wait until so many are acknowledged. Raises TransientFailure if that takes too long."""
        give_up = time.monotonic() + FLUSH_SECONDS
        while len(self.sent.acknowledged) < count:
            if time.monotonic() > give_up or self._failure:
                raise TransientFailure(f"the lab's brokers acknowledged no {count:,} orders within {FLUSH_SECONDS} s")
            time.sleep(POLL_SECONDS)

    def _run(self) -> None:
        try:
            began = time.monotonic()
            while not self._over.is_set():
                if self._held.is_set():
                    began = time.monotonic() - self.sent.count / self._rate
                due = int((time.monotonic() - began) * self._rate)
                while self.sent.count < due:
                    self._send(self.sent.count)
                self._producer.poll(POLL_SECONDS)
            if left := self._producer.flush(FLUSH_SECONDS):
                raise TransientFailure(f"{left:,} orders were neither acknowledged nor given up")
        except BaseException as failure:
            self._failure.append(failure)

    def _send(self, number: int) -> None:
        value = Numbered(number, time.monotonic_ns(), self._orders[number % len(self._orders)]).packed()
        self._producer.produce(self._topic, value, partition=0, on_delivery=self._report)
        self.sent.count += 1

    def _report(self, error: KafkaError | None, message: Message) -> None:
        if error is None:
            self.sent.acknowledged[Numbered.read(message.value() or b"").number] = (message.latency() or 0.0) * 1000
        else:
            self.sent.errors += 1
