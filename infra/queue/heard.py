"""What comes from the queue broker on one connection.

Data flow: frames of the broker, in the library's thread -> deliveries, receipts, an error
Run: daybreak lab queue
"""

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from queue import SimpleQueue

import stomp
from stomp.utils import Frame


@dataclass(frozen=True)
class Delivery:
    """A message on its way: `again` if somebody had it before and did not acknowledge it. `receipt` is how one acknowledges."""

    body: bytes
    again: bool
    receipt: str
    headers: Mapping[str, str]


class Heard(stomp.ConnectionListener):  # type: ignore[misc]
    """It is told of each frame. Bounded by the window of a consumer, and by the receipts that a sender asks for."""

    def __init__(self) -> None:
        self.deliveries: SimpleQueue[Delivery] = SimpleQueue()
        self.awaited: dict[str, Callable[[], None]] = {}
        self.error = ""
        self.let_in = False
        self.answered, self.ended = threading.Event(), threading.Event()

    def on_connected(self, frame: Frame) -> None:
        self.let_in = True
        self.answered.set()

    def on_message(self, frame: Frame) -> None:
        said = frame.headers
        self.deliveries.put(Delivery(frame.body, said.get("redelivered") == "true", said.get("ack", ""), said))

    def on_receipt(self, frame: Frame) -> None:
        if then := self.awaited.pop(frame.headers["receipt-id"], None):
            then()

    def on_error(self, frame: Frame) -> None:
        # The first one counts: more follow for what was on its way.
        self.error = self.error or (frame.headers.get("message", "") or frame.body.decode(errors="replace"))[:300]
        self.answered.set()

    def on_disconnected(self) -> None:
        self.answered.set()
        self.ended.set()
