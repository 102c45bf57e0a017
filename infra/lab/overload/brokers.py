"""The brokers of the lab of overload: a place of the lab's own in each, and what of them can be measured on this machine.

Data flow: Settings -> a topic, a queue; their brokers' processes and folders
Run: daybreak lab overload
"""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

from infra.kafka import client
from infra.lab.topics import topics
from infra.lab.transports import queue
from infra.lab.transports.transport import Transport
from infra.options import QUEUE
from infra.queue.broker import broker
from infra.queue.connection import Connection
from infra.queue.management import Management
from infra.services import kafka
from infra.services.program import Name
from infra.services.supervisor import Supervisor
from infra.settings import Settings


@dataclass(frozen=True)
class Broker:
    """A topic or a queue, the way to it (with a password), and of its broker the processes and the folders that hold what waits.

    It has neither where it runs on another machine; a transport without a broker has nothing of all this.
    """

    place: str
    options: dict[str, str | int | float | bool]
    pids: Sequence[int] = ()
    folders: Sequence[Path] = ()

    @property
    def is_here(self) -> bool:
        """Can it be measured?"""
        return bool(self.pids)


NONE = Broker("", {})


@contextmanager
def brokers(s: Settings) -> Iterator[dict[Transport, Broker]]:
    """Yield the brokers that there are, each with a new place, which is deleted at the end. Of three replicas all count.

    The queue broker is one only if its option is on. Raises TransientFailure if a broker does not answer.
    """
    pids = {name: process.pid for name, process in Supervisor(s).processes().items() if process.pid}
    with ExitStack() as stack:
        (topic,) = stack.enter_context(topics("overload", ["log"], 1, s.kafka_replication))
        found = {Transport.KAFKA: Broker(topic, client.options())}
        if s.embedded("kafka_bootstrap"):
            own = [pid for name, pid in pids.items() if name in (Name.KAFKA, *kafka.BROKERS)]
            folders = [node.log / f"{topic}-0" for node in kafka.nodes(s)]
            found[Transport.KAFKA] = Broker(topic, client.options(), own, folders)
        if s.has(QUEUE):
            name = stack.enter_context(_queue(s))
            own = [pids[Name.QUEUE]] if Name.QUEUE in pids else []
            # The pages of all queues. What is not in pages is in memory, and in a journal whose files have a fixed size.
            found[Transport.QUEUE] = Broker(name, queue.options(broker(s)), own, [s.home / "queue" / "data" / "paging"])
        yield found


@contextmanager
def _queue(s: Settings) -> Iterator[str]:
    name = f"lab-overload-{uuid4().hex[:8]}"
    with Connection(broker(s)):
        pass
    try:
        yield name
    finally:
        with Connection(broker(s)) as connection:
            management = Management(connection)
            # The broker deletes a queue by itself, once nothing is in it and nobody takes from it.
            if name in management.queues():
                management.delete(name)
