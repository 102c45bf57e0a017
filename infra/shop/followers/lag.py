"""How far a follower is behind its topics, and what its program said last.

Data flow: position of the data, ends of the log -> records; `<home>/run/follower-<name>.json`
Run: daybreak follower lag
"""

import json
import os
import time
from collections.abc import Iterable
from dataclasses import dataclass

from infra.kafka import client
from infra.kafka.ends import bounds
from infra.kafka.read_committed import partitions
from infra.last_said import last_said
from infra.page.write import put
from infra.settings import Settings
from infra.shop.followers.follower import Position, System, as_text, from_text


@dataclass(frozen=True)
class Lag:
    """Records between the position that the program said and the end of its topics, marks of transactions included; when it
    said so (epoch seconds, None: never)."""

    follower: str
    of: str
    behind: int
    at: float | None


def say(s: Settings, system: System, position: Position, applied: int, moved: float) -> None:
    """Write the status file; `moved` is when the position changed last (epoch seconds)."""
    own = {"pid": os.getpid(), "at": time.time(), "moved": moved}
    text = json.dumps({**own, "position": as_text(position), "applied": applied})
    put(system.status_file(s), text.encode())


def lag(s: Settings, system: System) -> Lag:
    """A follower's lag. Raises TransientFailure if Kafka does not answer."""
    file, topics = system.status_file(s), system.topics(s)
    last = {"position": {}, "at": None, **last_said(file)}
    names = ", ".join(topic.rpartition(".")[2] for topic in topics)
    return Lag(system.name, names, behind(from_text(last["position"]), ends(topics)), last["at"])


def behind(position: Position, end: Position) -> int:
    """Offsets between a position and an end."""
    return sum(max(last - position.get(place, 0), 0) for place, last in end.items())


def ends(topics: Iterable[str], isolation: str = "read_committed") -> Position:
    """One past the last offset of each partition of the topics that there are; if uncommitted records count, behind these."""
    with client.consumer("follower-lag", {"isolation.level": isolation}) as consumer:
        places = [(topic, number) for topic in topics for number in partitions(topic)]
        return {at: bounds(consumer, at)[1] for at in places}
