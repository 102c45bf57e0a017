"""The order service: how long a client waits for its answer, what a command costs, and how fast a backlog is answered.

Data flow: commands of the shop -> order service -> answers -> Figure
Run: make bench ONLY=commands
"""

import time
from itertools import islice

import numpy as np

from infra.kafka.read_committed import committed
from infra.kafka.send import Sender
from infra.services.program import Name
from infra.shop.faults import Copy, Faults
from infra.shop.orders.commands import TOPIC
from infra.shop.orders.order import ANSWERS
from infra.shop.orders.progress import progress
from infra.shop.run import Run
from tests.bench.bed import CORE, Bed
from tests.bench.cpu import Meter
from tests.bench.figure import Figure

RATE, SECONDS = 50.0, 30
BACKLOG = 20_000


def commands(bed: Bed) -> list[Figure]:
    """Commands at RATE, then BACKLOG of them at once; the option order-service is turned on for it."""
    bed.run("up", "--with", "order-service", "--only", f"{CORE},order-service")
    _send(_asked(bed, 1, 200), None)
    _answered()
    return [*_singly(bed), *_at_once(bed)]


def _singly(bed: Bed) -> list[Figure]:
    sent = _asked(bed, 2, round(RATE * SECONDS))
    with Meter(_service(bed)) as meter:
        _send(sent, RATE)
        _answered()
        spent = meter.total()
    # Both times are the broker's.
    ids = {copy.event_id.encode() for copy in sent if copy.event_id}
    asked = {one.value()[13:49]: one.timestamp()[1] for one in committed(TOPIC) if one.value()[13:49] in ids}  # type: ignore[index]
    waits = [one.timestamp()[1] - asked[key] for one in committed(ANSWERS) if (key := one.key()) in asked]  # type: ignore[index]
    p50, p95 = np.percentile(waits, [50, 95])
    note = f"{len(waits):,} commands at {RATE:g}/s, by the broker's clock"
    return [
        Figure("commands", "command to answer, p50", float(p50) / 1000, "s", note=note),
        Figure("commands", "command to answer, p95", float(p95) / 1000, "s"),
        Figure("commands", "the service's CPU per command", spent * 1000 / len(sent), "ms"),
    ]


def _at_once(bed: Bed) -> list[Figure]:
    sent = _asked(bed, 3, BACKLOG)
    with Meter(_service(bed)) as meter:
        began = time.monotonic()
        _send(sent, None)
        _answered()
        took, spent = time.monotonic() - began, meter.total()
    return [
        Figure("commands", f"{BACKLOG:,} commands at once", BACKLOG / took, "/s"),
        Figure("commands", "the service's CPU per command of these", spent * 1000 / BACKLOG, "ms"),
    ]


def _asked(bed: Bed, seed: int, count: int) -> list[Copy]:
    """The first commands of a shop's last hour."""
    now_ms = time.time_ns() // 1_000_000
    shop = Run(now_ms - 3_600_000, now_ms, 50.0, seed, now_ms, Faults(0, 0, 0, 0, 0), live=True, asks=True)
    return list(islice((copy for copy in shop.records() if copy.topic == TOPIC), count))


def _send(copies: list[Copy], rate: float | None) -> None:
    began = time.monotonic()
    with Sender([TOPIC], None) as sender:
        for number, copy in enumerate(copies):
            if rate is not None:
                time.sleep(max(began + number / rate - time.monotonic(), 0))
            sender.send(copy.topic, copy.key, copy.value, copy.event_id)
            sender.poll()


def _answered() -> None:
    with progress() as own:
        own.wait()


def _service(bed: Bed) -> dict[str, int]:
    return {"order-service": bed.pids()[Name.ORDER_SERVICE]}
