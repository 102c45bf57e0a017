"""One event of the shop: when it happened, and the bytes that will be sent.

Data flow: topic, type, time, key, fields, seeded random numbers -> Event
Run: daybreak shop --days 1
"""

from random import Random
from typing import NamedTuple

SECOND, MINUTE, HOUR = 1_000, 60_000, 3_600_000


class Event(NamedTuple):
    """One event: when it happened (epoch ms), its topic and Kafka key, its id, and its value as compact JSON."""

    time_ms: int
    topic: str
    key: bytes
    event_id: str
    value: bytes


def event(rng: Random, topic: str, kind: str, time_ms: int, key: str, fields: str, version: int = 1) -> Event:
    """An event with a new id; `fields` is the inside of a JSON object: the payload."""
    identity = event_id(rng)
    head = f'{{"event_id":"{identity}","event_type":"{kind}","event_time":{time_ms},"schema_version":{version},'
    return Event(time_ms, topic, key.encode(), identity, (head + fields + "}").encode())


def event_id(rng: Random) -> str:
    """A version 4 UUID from seeded random numbers."""
    h = f"{rng.getrandbits(128):032x}"
    return f"{h[:8]}-{h[8:12]}-4{h[13:16]}-{'89ab'[int(h[16], 16) & 3]}{h[17:20]}-{h[20:]}"


def between(rng: Random, low: int, high: int) -> int:
    """A whole number in [low, high), each as likely."""
    return low + int(rng.random() * (high - low))


def rank(rng: Random, size: int, q: float) -> int:
    """A rank in 0..size-1, small ones more often; the larger `q`, the flatter.

    Source: ranks follow the Zipf-Mandelbrot law, 1/(rank + q), by its inverse distribution function.
    """
    return min(int(q * ((1 + size / q) ** rng.random() - 1)), size - 1)
