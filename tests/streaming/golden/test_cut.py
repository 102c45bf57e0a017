"""A day cut into micro-batches: what the stream counts, and watermarks by which none of it is late."""

from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pyarrow as pa
import pyarrow.compute as pc

from streaming.golden.both_layers import LATE, counted, cut
from streaming.views.as_of import KNOWN_AT

NOON = datetime(2026, 1, 31, 12, tzinfo=UTC)
DELAY = timedelta(minutes=10)
HOUR_MS = 3_600_000


def events(*minutes: int, topic: str = "orders", late_by_ms: int = 0) -> pa.Table:
    rows = [{"topic": topic, "event_time": NOON + timedelta(minutes=at), "late_by_ms": late_by_ms} for at in minutes]
    return pa.Table.from_pylist(rows, schema=LATE)


def test_late_events_count_in_changelogs_only_and_from_the_watermark_on() -> None:
    late = [events(0, topic=topic, late_by_ms=HOUR_MS) for topic in ("orders", "customers")]
    found = counted(pa.concat_tables([events(70), *late]))
    assert found["topic"].to_pylist() == ["orders", "customers"]
    assert found[KNOWN_AT].to_pylist() == [NOON + timedelta(minutes=70), NOON + timedelta(hours=1)]


def test_no_event_that_counts_is_behind_the_watermark() -> None:
    own = counted(events(0, 30, 31, 21, 90, 60, 61, 100))
    batches = cut(own, 4, DELAY)
    assert pa.concat_tables(one.events for one in batches) == own
    # The last one passed is 10 minutes behind the latest event, or at the first that is still to come.
    assert [one.watermark and one.watermark.as_py() for one in batches] == [
        None,
        *(NOON + timedelta(minutes=at) for at in (20, 21, 61)),
    ]
    assert all(one.next_watermark == next_one.watermark for one, next_one in pairwise(batches))
    assert batches[-1].next_watermark.as_py() == NOON + timedelta(minutes=90)
    for one in batches[1:]:
        assert pc.min(one.events[KNOWN_AT]).as_py() >= one.watermark.as_py()


def test_a_day_without_events_has_no_micro_batch() -> None:
    assert cut(counted(events()), 4, DELAY) == []
