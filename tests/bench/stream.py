"""The stream: what a record costs while it drains, one live micro-batch, and how fresh every table is under a load.

Data flow: a day, a hundred records, a live minute -> speed/progress, streaming/monitor/freshness, the process's CPU -> Figure
Run: make bench ONLY="drain live freshness load"
"""

import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from statistics import median

from streaming.monitor import freshness
from streaming.state.stores import GENERATE_AFTER
from tests.bench.bed import Bed
from tests.bench.cpu import Meter
from tests.bench.figure import Figure

WARM_UP = GENERATE_AFTER + 20_000
"""The first micro-batches of a driver are its JIT, and then the views' code is generated, once: they are not measured."""
ROUNDS = 7
RECORDS = 100
SETTLE_SECONDS = 5
LOADS = (500, 2_000)
"""Events per second."""
MUST_BE_FRESH = {"silver": (1.0, 2.0), "speed": (2.0, 4.0)}
"""Seconds at p50 and p95."""


def drain(bed: Bed, records: int) -> list[Figure]:
    """A day of records that lies in the log when the stream goes on."""
    bed.send_day(WARM_UP)
    bed.drained()
    with bed.paused():
        _, sent = bed.send_day(records)
        began = datetime.now(UTC)
    with Meter(bed.stream) as meter:
        bed.drained(pause=2)
        spent = meter.total()
    batches = bed.batches(began - timedelta(seconds=2))
    seconds = (max(one["committed_at"] for one in batches) - began).total_seconds()
    note = f"{sent:,} records, {len(batches)} micro-batches, all views"
    return [
        Figure("drain", "stream's CPU per record", spent * 1000 / sent, "ms", 0.1, note=note),
        Figure("drain", "records per second", sent / seconds, "/s", 12_000, least=True),
    ]


def live(bed: Bed) -> list[Figure]:
    """A hundred records at once, several times."""
    bed.send_now(RECORDS, seed=0)
    bed.drained()
    own, sent_to_seen = [], []
    for number in range(1, ROUNDS + 1):
        time.sleep(SETTLE_SECONDS)
        began = datetime.now(UTC)
        sent = bed.send_now(RECORDS, seed=number)
        bed.drained()
        # A micro-batch is planned when its first record is there; what is sent while it runs makes one more.
        last = bed.batches(began - timedelta(seconds=1))[-1]
        seen = max(last["visible"][table] for table in ("bronze/events", "silver/events"))
        own.append((seen - last["as_of"]).total_seconds())
        sent_to_seen.append((seen - sent).total_seconds())
    what = f"micro-batch of {RECORDS}: planned to visible in silver"
    return [
        Figure("live", what, median(own), "s", 0.7, note=f"median of {ROUNDS}, worst {max(own):.1f}"),
        Figure("live", "the same from the last acknowledgement", median(sent_to_seen), "s"),
    ]


def load(bed: Bed) -> list[Figure]:
    """More than a shop in real time: the stream holds what leaves it no more behind at the end than a micro-batch or two."""
    found = []
    for rate in LOADS:
        began = datetime.now(UTC)
        figures = fresh(bed, rate, label="load")
        views = [one for one in figures if one.what.startswith("speed/") and one.what.endswith("p95")]
        slowest = max(views, key=lambda one: one.value).what.split(" at ")[0]
        shown = ("silver at", f"{slowest} at", "the stream")
        found += [replace(one, must=None) for one in figures if one.what.startswith(shown)]
        batches = bed.batches(began)
        longest = max((one["committed_at"] - one["as_of"]).total_seconds() for one in batches)
        found.append(Figure("load", f"longest of {len(batches)} micro-batches at {rate}/s", longest, "s"))
    return found


def fresh(bed: Bed, rate: float, seconds: int = 60, label: str = "freshness") -> list[Figure]:
    """A shop in real time, after a burn-in of a third: when could its records be read, from their arrival on?"""
    bed.send_live(rate, seconds // 3)
    since = datetime.now(UTC)
    with Meter(bed.stream) as meter:
        sent = bed.send_live(rate, seconds)
        busy = meter.total() / meter.wall
    until = datetime.now(UTC)
    bed.drained()
    behind = (datetime.now(UTC) - until).total_seconds()
    found = []
    for row in freshness.freshness(bed.settings, since, until, freshness.Clock.ARRIVAL):
        if row.stage == "gold" or row.p50 is None or row.p95 is None:
            continue
        must = MUST_BE_FRESH.get(row.stage.partition("/")[0], (None, None))
        for name, value, most in zip(("p50", "p95"), (row.p50, row.p95), must, strict=True):
            note = f"{row.events:,} on-time events"
            found.append(Figure(label, f"{row.stage} at {rate:g}/s, {name}", value, "s", most, note=note))
    return [
        *found,
        Figure(label, f"the stream was sent at {rate:g}/s", sent / seconds, "/s", note="records acknowledged, mean"),
        Figure(label, f"the stream's CPU at {rate:g}/s", busy, "cores"),
        Figure(label, f"the stream has read all at {rate:g}/s, after the last record", behind, "s"),
    ]
