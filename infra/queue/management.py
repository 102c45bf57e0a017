"""What the broker says of itself, and what it is told to do: by messages to an address of its own.

Data flow: a question -> `activemq.management` -> its answer, in a queue that is gone with the connection
Run: daybreak status
Source: Artemis's manual, "Management", "Using Management Message API".
"""

import json
import time
from typing import Any
from uuid import uuid4

from infra.failures import PermanentFailure, TransientFailure
from infra.queue.broker import DEAD
from infra.queue.connection import SECONDS, Connection

ADDRESS = "activemq.management"
DELETE_SECONDS = 300
"""A queue is deleted message by message: a million of them take it ten seconds of CPU."""
SYSTEM = ("$", "activemq.", "answers-")


class Management:
    """Asks over a connection of which nothing else is received."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._answers = f"answers-{uuid4().hex}"
        connection.subscribe(self._answers)

    def queues(self) -> list[str]:
        """Names of all queues, without the broker's own."""
        names: list[str] = self._call("getQueueNames")
        return sorted(name for name in names if not name.startswith(SYSTEM))

    def waiting(self, queue: str) -> int:
        """Messages in a queue, also those on their way to a consumer. Raises PermanentFailure if there is no such queue."""
        count: int = self._attribute("MessageCount", f"queue.{queue}")
        return count

    def consumers(self, queue: str) -> int:
        """Consumers that have subscribed to a queue."""
        count: int = self._attribute("ConsumerCount", f"queue.{queue}")
        return count

    def delete(self, queue: str) -> None:
        """Delete a queue with all its messages, and its consumers' subscriptions."""
        self._call("destroyQueue", queue, True, True, seconds=DELETE_SECONDS)

    def version(self) -> str:
        """The broker's version."""
        return str(self._attribute("Version", "broker"))

    def given_up(self) -> dict[str, int]:
        """Messages in dead-letter queues, by these queues' names; those without one are left out."""
        dead = {name: self.waiting(name) for name in self.queues() if name.startswith(f"{DEAD}.")}
        return {name: count for name, count in dead.items() if count}

    def _call(self, operation: str, *arguments: Any, seconds: float = SECONDS) -> Any:
        return self._ask({"_AMQ_ResourceName": "broker", "_AMQ_OperationName": operation}, arguments, seconds)

    def _attribute(self, name: str, resource: str) -> Any:
        return self._ask({"_AMQ_ResourceName": resource, "_AMQ_Attribute": name}, ())

    def _ask(self, what: dict[str, str], arguments: tuple[Any, ...], seconds: float = SECONDS) -> Any:
        body = json.dumps(arguments).encode()
        self._connection.send(ADDRESS, body, durable=False, text=True, headers={"reply-to": self._answers, **what})
        give_up = time.monotonic() + seconds
        while (answer := self._connection.receive(0.5)) is None:
            if time.monotonic() > give_up:
                raise TransientFailure(f"the queue broker did not answer within {seconds:g} s: {what}")
        self._connection.acknowledge(answer)
        if answer.headers.get("_AMQ_OperationSucceeded") != "true":
            raise PermanentFailure(f"the queue broker refuses {what}: {answer.body.decode()}")
        return (json.loads(answer.body or b"[null]") or [None])[0]
