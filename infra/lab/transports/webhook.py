"""Orders by HTTP push: the producer posts each order to each consumer, once, or again until it is answered with 2xx.

Data flow: messages -> a queue in memory per consumer -> POST -> work -> 204
Run: daybreak lab direct

A message that failed waits for its next try while others go on, as senders of webhooks do it: so it comes out of order. The
queue is the producer's memory: what waits in it is gone with its process.
"""

import heapq
import http.client
import itertools
import threading
import time
from functools import partial

from infra.lab.transports.transport import Ends, Full, Taken, Wire
from infra.lab.transports.webhook_receiver import WebhookReceiver

FIRST_PAUSE, LONGEST_PAUSE = 0.05, 0.8
"""Seconds until the first retry; each further pause is twice as long, up to the longest."""
ANSWER_SECONDS = 5


class WebhookSender:
    """A queue and a thread per consumer, so that none waits for another one."""

    def __init__(self, wire: Wire, taken: Taken, retried: bool) -> None:
        self._taken = taken
        self._high_water = wire.high_water
        self._queues = [Queue(wire.host, wire.port + consumer, retried) for consumer in wire.each]

    def wait_for(self, consumers: int) -> None:
        """Nothing: a connection is opened by the first post."""

    def send(self, number: int, message: bytes) -> None:
        """Put the message into each queue; from then on it is the sender's. Raises Full if one is at its high-water mark."""
        if self._high_water is not None and any(queue.length >= self._high_water for queue in self._queues):
            raise Full
        for queue in self._queues:
            queue.put(message)
        self._taken(number)

    def flush(self) -> None:
        """Wait until every message was answered, or given up after its only try."""
        for queue in self._queues:
            queue.drained()


class Queue:
    """The messages for one consumer, each with the moment of its next try."""

    def __init__(self, host: str, port: int, retried: bool) -> None:
        self._connection = http.client.HTTPConnection(host, port, timeout=ANSWER_SECONDS)
        self._retried = retried
        self._changed = threading.Condition()
        self._places = itertools.count()
        self._tries: list[tuple[float, int, int, bytes]] = []
        self._unanswered = 0
        threading.Thread(target=self._post_all, daemon=True).start()

    @property
    def length(self) -> int:
        """Messages that wait for a try."""
        return len(self._tries)

    def put(self, message: bytes) -> None:
        """Add a message, to be tried at once."""
        with self._changed:
            self._unanswered += 1
            self._add(0.0, 0, message)

    def drained(self) -> None:
        """Wait until nothing is in the queue."""
        with self._changed:
            self._changed.wait_for(lambda: not self._unanswered)

    def _add(self, pause: float, tries: int, message: bytes) -> None:
        heapq.heappush(self._tries, (time.monotonic() + pause, next(self._places), tries, message))
        self._changed.notify_all()

    def _post_all(self) -> None:
        while True:
            tries, message = self._next()
            accepted = self._post(message)
            with self._changed:
                if accepted or not self._retried:
                    self._unanswered -= 1
                    self._changed.notify_all()
                else:
                    self._add(min(FIRST_PAUSE * 2**tries, LONGEST_PAUSE), tries + 1, message)

    def _next(self) -> tuple[int, bytes]:
        """Wait for a message whose moment has come."""
        with self._changed:
            while True:
                wait = self._tries[0][0] - time.monotonic() if self._tries else None
                if wait is not None and wait <= 0:
                    _, _, tries, message = heapq.heappop(self._tries)
                    return tries, message
                self._changed.wait(wait)

    def _post(self, message: bytes) -> bool:
        """One try: was it answered with 2xx?"""
        try:
            self._connection.request("POST", "/", message)
            answer = self._connection.getresponse()
            answer.read()
        except (OSError, http.client.HTTPException):
            # Refused, reset, no answer, or half of one: whether the consumer has processed it is not known.
            self._connection.close()
            return False
        return 200 <= answer.status < 300


ONE_TRY = Ends(partial(WebhookSender, retried=False), WebhookReceiver)
RETRIED = Ends(partial(WebhookSender, retried=True), WebhookReceiver)
