"""Freshness from stored progress: hand-made micro-batches and builds, and percentiles that can be told by heart."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pyarrow as pa
import pytest

from streaming.monitor.freshness import Clock, Freshness, no_builds, summary, summary_by_hour, visible

NOON = datetime(2026, 1, 31, 12, tzinfo=UTC)
TIME = pa.timestamp("us", "UTC")
EVENTS = pa.schema({"event_time": TIME, "arrival": TIME, "generation": pa.string(), "batch_id": pa.int64()})
PROGRESS = pa.schema(
    {
        "query": pa.string(),
        "generation": pa.string(),
        "batch_id": pa.int64(),
        "committed_at": TIME,
        "visible": pa.map_(pa.string(), TIME),
    }
)
BUILDS = pa.schema({"started_at": TIME, "built_at": TIME})


def at(seconds: float) -> datetime:
    return NOON + timedelta(seconds=seconds)


def event(seconds: float, batch_id: int, generation: str = "l1", arrival: float | None = None) -> dict[str, Any]:
    arrived = at(seconds if arrival is None else arrival)
    return {"event_time": at(seconds), "arrival": arrived, "generation": generation, "batch_id": batch_id}


def ingest(batch_id: int, bronze: float, silver: float, generation: str = "l1", **views: float) -> dict[str, Any]:
    """A micro-batch that ended a second after its rows were in silver; `views` are those it said something of."""
    times = {"bronze/events": bronze, "silver/events": silver} | {
        f"speed/{name}": shown for name, shown in views.items()
    }
    visible = [(table, at(shown)) for table, shown in times.items()]
    known = {"query": "ingest", "generation": generation, "batch_id": batch_id, "committed_at": at(silver + 1)}
    return known | {"visible": visible}


def placed(events: list[Any], progress: list[Any], builds: list[tuple[float, float]] = ()) -> pa.Table:  # type: ignore[assignment]
    rows = [{"started_at": at(start), "built_at": at(end)} for start, end in builds]
    return visible(
        pa.Table.from_pylist(events, EVENTS),
        pa.Table.from_pylist(progress, PROGRESS),
        pa.Table.from_pylist(rows, BUILDS) if rows else no_builds(),
    )


def seconds(table: pa.Table, stage: str) -> list[float | None]:
    """Since noon, in the order of the events."""
    times = table.sort_by("event_time")[stage].to_pylist()
    return [None if time is None else (time - NOON).total_seconds() for time in times]


def test_each_stage_has_an_event_when_its_rows_could_be_read() -> None:
    progress = [ingest(0, 3, 5, totals=8, pairs=22), ingest(1, 13, 15, totals=19, pairs=21)]
    table = placed([event(0, 0), event(9, 1)], progress, [(4, 60), (23, 90), (500, 600)])
    # Gold waits for a build that began after all of them.
    assert [seconds(table, stage) for stage in ("bronze", "silver")] == [[3, 13], [5, 15]]
    assert [seconds(table, stage) for stage in ("speed/pairs", "speed/totals")] == [[22, 21], [8, 19]]
    assert seconds(table, "gold") == [90, 90]


def test_a_view_of_which_nothing_was_said_does_not_count_the_event() -> None:
    progress = [ingest(0, 3, 5, totals=8), ingest(1, 13, 15)]
    table = placed([event(0, 0), event(9, 1)], progress, [(7, 50)])
    assert (seconds(table, "speed/totals"), seconds(table, "gold")) == ([8, None], [None, None])
    found = {row.stage: row for row in summary(table, Clock.EVENT)}
    assert found["speed/totals"] == Freshness(None, "speed/totals", 1, 8.0, 8.0, 8.0)
    assert found["gold"] == Freshness(None, "gold", 0, None, None, None)
    # Gold has it as soon as silver and the views that had something to say of it.
    assert seconds(placed([event(0, 0), event(9, 1)], progress, [(7, 50), (16, 60)]), "gold") == [60, 60]


def test_gold_waits_for_the_first_build_that_began_after_the_slowest_view() -> None:
    progress = [ingest(0, 3, 5, totals=8, pairs=30)]
    assert seconds(placed([event(0, 0)], progress, [(29, 40), (30, 41), (50, 60)]), "gold") == [41]
    assert seconds(placed([event(0, 0)], progress), "gold") == [None]


def test_an_event_of_an_unfinished_micro_batch_is_nowhere() -> None:
    table = placed([event(0, 0), event(1, 1), event(2, 0, generation="l2")], [ingest(0, 3, 5)])
    assert seconds(table, "silver") == [5]


def test_each_generation_has_its_own_micro_batches() -> None:
    progress = [ingest(0, 3, 5, totals=8), ingest(0, 43, 45, generation="l2", totals=55)]
    table = placed([event(0, 0), event(40, 0, generation="l2")], progress)
    assert seconds(table, "speed/totals") == [8, 55]


def test_progress_of_older_code_tells_the_end_of_the_micro_batch() -> None:
    """It had rows of view queries too, which no event is in."""
    old = ingest(0, 3, 5) | {"visible": None}
    table = placed([event(0, 0)], [old, old | {"query": "totals", "visible": [("speed/totals", at(8))]}])
    assert [seconds(table, stage) for stage in ("bronze", "silver")] == [[None], [6]]
    assert "speed/totals" not in table.column_names


@pytest.mark.parametrize(("clock", "behind"), [(Clock.EVENT, 0), (Clock.ARRIVAL, 100)])
def test_percentiles_of_a_known_spread(clock: Clock, behind: float) -> None:
    # 101 events that are visible 0, 1, ... 100 s after the clock: the p-th percentile is p seconds.
    events = [event(-n - behind, 0, arrival=-n) for n in range(101)]
    table = placed(events, [ingest(0, bronze=0, silver=0.5)])
    found = {row.stage: row for row in summary(table, clock)}
    late = 100.0 if clock is Clock.EVENT and behind else 0.0
    assert found["bronze"] == Freshness(None, "bronze", 101, 50.0 + late, 95.0 + late, 99.0 + late)
    assert found["silver"] == Freshness(None, "silver", 101, 50.5 + late, 95.5 + late, 99.5 + late)


def test_each_hour_by_its_own_events() -> None:
    hour = 3600
    progress = [ingest(0, 5, 10), ingest(1, hour + 5, hour + 20)]
    events = [event(0, 0), event(4, 0), event(hour, 1), event(hour + 10, 1, arrival=hour - 1)]
    found = {(row.hour, row.stage): row for row in summary_by_hour(placed(events, progress), Clock.EVENT)}
    assert list(found) == [(at(n * hour), stage) for n in (0, 1) for stage in ("bronze", "silver", "gold")]
    assert (found[at(0), "silver"].events, found[at(0), "silver"].p50) == (2, 8.0)
    assert (found[at(hour), "silver"].events, found[at(hour), "silver"].p50) == (2, 15.0)
    by_arrival = {(row.hour, row.stage): row.events for row in summary_by_hour(placed(events, progress), Clock.ARRIVAL)}
    assert (by_arrival[at(0), "silver"], by_arrival[at(hour), "silver"]) == (3, 1)


def test_nothing_at_all_is_no_failure() -> None:
    table = placed([], [])
    assert [(row.stage, row.events, row.p50) for row in summary(table, Clock.EVENT)] == [
        ("bronze", 0, None),
        ("silver", 0, None),
        ("gold", 0, None),
    ]
    assert list(summary_by_hour(table, Clock.EVENT)) == []
