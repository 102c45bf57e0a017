"""Senders of webhooks: many connections at once, each event sent until it is acknowledged, and some sent again after that.

Data flow: events, a sender's secret -> signed POSTs on raw sockets -> who was acknowledged, where, after how long
Run: pytest tests/platform/webhooks
"""

import asyncio
import json
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from streaming.webhooks.signature import ID, SENDER, SIGNATURE, TIME, sign


@dataclass(frozen=True)
class Answer:
    """Status, headers with small letters, and the JSON object of the body."""

    status: int
    headers: dict[str, str]
    body: dict[str, Any]


@dataclass
class Sent:
    """What became of a load: the places (partition, offset) that an event was acknowledged at, by its event_id.

    `seconds`: of each acknowledged request, from its first byte to its answer.
    """

    acknowledged: defaultdict[str, list[tuple[int, int]]] = field(default_factory=lambda: defaultdict(list))
    statuses: Counter[str] = field(default_factory=Counter)
    seconds: list[float] = field(default_factory=list)


def signed(name: str, key: bytes, body: bytes, identity: str, at: float | None = None, **more: str) -> dict[str, str]:
    """The headers of a request; `more` replaces some, with _ for -."""
    seconds = str(int(time.time() if at is None else at))
    headers = {"content-type": "application/json", SENDER: name, ID: identity, TIME: seconds}
    return headers | {SIGNATURE: sign(key, identity, seconds, body)} | {k.replace("_", "-"): v for k, v in more.items()}


async def posted(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, path: str, headers: dict[str, str], body: bytes
) -> Answer:
    """One request on a connection that stays open. Raises OSError or EOFError if it ends."""
    lines = [f"POST {path} HTTP/1.1", "host: localhost", f"content-length: {len(body)}"]
    writer.write("\r\n".join([*lines, *(f"{k}: {v}" for k, v in headers.items()), "", ""]).encode() + body)
    await writer.drain()
    first, *rest = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
    found = {k.lower(): v for k, _, v in (line.partition(": ") for line in rest if line)}
    return Answer(int(first.split()[1]), found, json.loads(await reader.readexactly(int(found["content-length"]))))


class Load:
    """Sends events (topic, event_id, body) over `connections`; a share of them again after they were acknowledged."""

    def __init__(self, port: int, name: str, key: bytes, connections: int = 32, again_every: int = 10) -> None:
        self._port, self._name, self._key = port, name, key
        self._connections, self._again_every = connections, again_every
        self.sent = Sent()

    async def run(self, events: Iterable[tuple[str, str, bytes]]) -> Sent:
        """Send all of them."""
        rest = iter(events)
        await asyncio.gather(*(self._one(rest) for _ in range(self._connections)))
        return self.sent

    async def _one(self, rest: Iterator[tuple[str, str, bytes]]) -> None:
        at: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None
        for number, (topic, event_id, body) in enumerate(rest):
            for _ in range(2 if number % self._again_every == 0 else 1):
                at = await self._until_acknowledged(at, topic, event_id, body)
        if at:
            at[1].close()

    async def _until_acknowledged(
        self, at: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None, topic: str, event_id: str, body: bytes
    ) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        while True:
            try:
                at = at or await asyncio.open_connection("127.0.0.1", self._port)
                begun = time.monotonic()
                headers = signed(self._name, self._key, body, event_id)
                answer = await posted(*at, f"/topics/{topic}", headers, body)
            except (OSError, EOFError) as ended:
                # Nobody knows what became of it, so it is sent again, as a sender must.
                self.sent.statuses[type(ended).__name__] += 1
                at = None
                await asyncio.sleep(0.1)
                continue
            self.sent.statuses[str(answer.status)] += 1
            if answer.status == 200:
                self.sent.seconds.append(time.monotonic() - begun)
                self.sent.acknowledged[event_id].append((answer.body["partition"], answer.body["offset"]))
                return at
            assert answer.status in (429, 503), answer
            await asyncio.sleep(float(answer.headers["retry-after"]))


def quantile(seconds: list[float], share: float) -> float:
    """The value that this share is not above."""
    return sorted(seconds)[min(int(len(seconds) * share), len(seconds) - 1)]
