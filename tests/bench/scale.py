"""Scale: an hour of a busy log, sent ahead; does it get slower while the state grows, and does the stream come back from a death?

Data flow: an hour at 500 records a second -> micro-batches of the drain, memory; a hot key; SIGKILL -> the first micro-batch
Run: make bench ONLY=scale SCALE=600000
"""

import json
import os
import signal
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from statistics import median

from infra.kafka.send import Sender
from infra.lake import reader
from infra.services.program import Name
from infra.shop.faults import Faults
from infra.shop.run import Run
from infra.shop.story import TOPICS
from streaming.views import VIEWS
from tests.bench.bed import Bed, until
from tests.bench.cpu import memory
from tests.bench.figure import Figure

RATE = 500
"""Records per second of event time."""
FIRST, LAST = slice(3, 8), slice(-6, -1)
"""Of the micro-batches: the first warm ones, and the last full ones."""
RESTART_SECONDS = 1200
HOT = 4_000
MINUTE_MS = 60_000
MIB = 1 << 20


def scale(bed: Bed, records: int) -> list[Figure]:
    """Drain so many records, of RATE per second of event time; then kill the stream, and wait for its first micro-batch."""
    start_ms = _start_ms(bed.next_day())
    end_ms = start_ms + records * 1000 // RATE
    bed.run("down")
    bed.run("up", "--only", "kafka,store,postgres")
    sent = _send(start_ms, end_ms, RATE)
    began = datetime.now(UTC)
    bed.run("up", "--only", "stream")
    bed.drained(pause=5)
    batches = bed.batches(began - timedelta(seconds=2))
    seconds = (batches[-1]["committed_at"] - batches[0]["as_of"]).total_seconds()
    each = [(one["committed_at"] - one["as_of"]).total_seconds() for one in batches]
    first, last = median(each[FIRST]), median(each[LAST])
    note = (
        f"{sent:,} records, {len(batches)} micro-batches, all views; first warm ones {first:.1f} s, last {last:.1f} s"
    )
    said = _said(bed)
    work = [one["rows"]["read"] + sum(rows[one["batch_id"]] for rows in said.values()) for one in batches]
    every = [seconds / number for seconds, number in zip(each, work, strict=True)]
    rows = [{name: own[one["batch_id"]] for name, own in said.items()} for one in batches]
    grown = max(said, key=lambda name: _median(rows, name, LAST) - _median(rows, name, FIRST))
    most = [_median(rows, grown, some) for some in (FIRST, LAST)]
    told = f"{grown} says {most[0]:,.0f} rows a micro-batch at first, {most[1]:,.0f} at last"
    held = memory(bed.stream)["stream"][1] / MIB
    return [
        Figure("scale", "last micro-batches / first warm ones", last / first, "x", 1.3, note=note),
        Figure(
            "scale",
            "the same per record read and row said",
            median(every[LAST]) / median(every[FIRST]),
            "x",
            1.3,
            note=told,
        ),
        Figure("scale", "records per second in all", sent / seconds, "/s", 4_000, least=True),
        Figure("scale", "memory of the stream (JVM and Python)", held, "MiB", 2_500),
        Figure("scale", "an order waits behind 4,000 of one order_id", _hot(bed, end_ms), "s", 5),
        Figure("scale", "from kill -9 to the first micro-batch done", _restart(bed, end_ms + MINUTE_MS), "s", 45),
    ]


def _said(bed: Bed) -> dict[str, Counter[int]]:
    """Per view, the rows that each micro-batch has said."""
    return {
        name: Counter(reader.read(bed.settings, f"speed/{name}", ["batch_id"])["batch_id"].to_pylist())
        for name in VIEWS
    }


def _median(rows: Sequence[Mapping[str, int]], view: str, some: slice) -> float:
    return median(one[view] for one in rows[some])


def _start_ms(day: date) -> int:
    return round(datetime(day.year, day.month, day.day, 6, tzinfo=UTC).timestamp() * 1000)


def _send(start_ms: int, end_ms: int, rate: float) -> int:
    """Send the shop's records of that time (epoch ms) as fast as the log takes them; returns how many they were."""
    # As a live shop, whose rate is the same at every hour.
    shop = Run(start_ms, end_ms, rate, 0, end_ms, Faults(0, 0, 0, 0, 0), live=True)
    sent = 0
    with Sender(TOPICS, None) as sender:
        for copy in shop.records():
            sender.send(copy.topic, copy.key, copy.value, copy.event_id)
            sent += 1
    return sent


def _hot(bed: Bed, at_ms: int) -> float:
    """Seconds from an order's acknowledgement to its rows, sent behind HOT orders, and payments, of one order_id."""
    shop = Run(at_ms, at_ms + MINUTE_MS, RATE, 0, at_ms + MINUTE_MS, Faults(0, 0, 0, 0, 0), live=True)
    first = {copy.topic: copy for copy in shop.records() if copy.topic in ("orders", "payments")}
    with Sender(TOPICS, None) as sender:
        for number in range(HOT):
            for topic, copy in first.items():
                event = json.loads(copy.value or "{}") | {"event_id": f"hot-{topic}-{number}", "order_id": "o-hot"}
                sender.send(topic, b"o-hot", json.dumps(event).encode(), event["event_id"])
        own = first["orders"]
        sender.send(own.topic, own.key, own.value, own.event_id)
    acked = datetime.now(UTC)
    bed.drained()
    return float((bed.batches(acked - timedelta(minutes=1))[-1]["committed_at"] - acked).total_seconds())


def _restart(bed: Bed, end_ms: int) -> float:
    """Seconds from the death, with a second's records to read."""
    before = _newest(bed)
    os.killpg(os.getpgid(bed.stream[Name.STREAM]), signal.SIGKILL)
    died = time.monotonic()
    _send(end_ms, end_ms + 1000, RATE)
    until("the first micro-batch of the restarted stream", lambda: _newest(bed) > before, RESTART_SECONDS)
    return time.monotonic() - died


def _newest(bed: Bed) -> int:
    return int(bed.batches(datetime.fromtimestamp(0, UTC))[-1]["batch_id"])
