"""What a restarted stream reads back: events within reach, of changelogs the last of each key, and nothing of its own batch."""

from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from deltalake import write_deltalake

from infra.lake.rows import arrow
from streaming.contracts import CONTRACTS
from streaming.state import restore
from streaming.state.changelog import counted_in_arrow
from streaming.state.view_state import OF_EVENT
from streaming.tables.silver import SILVER
from streaming.views import CHANGELOGS, VIEWS
from streaming.views.as_of import KNOWN_AT

NOON = datetime(2026, 1, 30, 12, tzinfo=UTC)
NOON_MS = round(NOON.timestamp() * 1000)
REACHED = NOON - max(view.reach + view.lookback for view in VIEWS.values() if "orders" in view.streams)
CHANGELOG = CHANGELOGS[0]
SECOND = timedelta(seconds=1)


def event(
    name: str, at: datetime, topic: str = "orders", late: timedelta = timedelta(0), **more: Any
) -> dict[str, Any]:
    own = {CONTRACTS[topic].key: name.split()[0]} if topic in CHANGELOGS else {"order_id": name}
    row = {"topic": topic, "event_id": name, "event_time": at, "day": at.date(), topic: own, "content_hash": 7}
    return row | {"late_by_ms": late // timedelta(milliseconds=1), "generation": "b", "batch_id": 4} | more


def change(name: str, at: datetime, **more: Any) -> dict[str, Any]:
    return event(name, at, CHANGELOG, **more)


@pytest.fixture
def put(local_lake: Path) -> Any:
    """Writes rows to silver, in a file of their own."""
    place = f"{local_lake}/silver/events"
    return lambda *rows: write_deltalake(place, arrow(rows, SILVER.schema), mode="append", partition_by=["day"])


def on_time() -> pa.Table:
    return pa.concat_tables(restore.on_time_since(NOON_MS, "b", 5))


def names(found: pa.Table) -> Counter[str]:
    return Counter(found["event_id"].to_pylist())


def test_recent_ids_are_those_at_or_after_the_watermark(put: Any) -> None:
    put(event("before", NOON - SECOND), event("at", NOON), event("after", NOON + timedelta(days=1)))
    put(
        event("own", NOON, batch_id=5),
        event("later", NOON, batch_id=6),
        event("older generation", NOON, generation="a", batch_id=9),
    )
    found = restore.recent_since(NOON_MS, "b", 5, lambda rows: rows)
    assert names(found) == Counter(["at", "after", "older generation"])
    (at,) = (row for row in found.to_pylist() if row["event_id"] == "at")
    assert at == {"event_id": "at", "time_ms": NOON_MS, "content_hash": 7}


def test_on_time_events_within_reach_are_read_back(put: Any) -> None:
    put(event("too old", REACHED - SECOND), event("reached", REACHED), event("late", NOON, late=SECOND))
    put(event("own", NOON, batch_id=5))
    found = on_time()
    assert names(found) == Counter(["reached"])
    assert found.column_names == [*OF_EVENT, *CONTRACTS]
    assert found["orders"].to_pylist()[0]["order_id"] == "reached"


def test_of_a_changelog_the_last_of_each_key_and_all_within_reach(put: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    old, late = REACHED - timedelta(days=400), timedelta(days=401)
    put(*[change(f"a {number:02}", old + number * SECOND) for number in range(20)], change("b 1", old))
    put(
        change("a late", old - SECOND, late=late),
        change("b new", NOON),
        change("b newer", NOON + SECOND),
        change("own", old, batch_id=5),
    )
    for most in (restore.AT_ONCE, 3):
        monkeypatch.setattr(restore, "AT_ONCE", most)
        found = on_time()
        # Late events of a changelog count from when they came.
        assert names(found) == Counter(["a 19", "a late", "b 1", "b new", "b newer"])
        known = {row["event_id"]: row[KNOWN_AT] for row in found.to_pylist()}
        assert known["a late"] == old - SECOND + late


def test_events_read_back_stand_beside_new_ones(put: Any) -> None:
    put(event("stored", NOON), change("a 1", NOON))
    new = counted_in_arrow(arrow([event("new", NOON)], SILVER.schema)).select([*OF_EVENT, *CONTRACTS])
    assert pa.concat_tables([on_time(), new]).num_rows == 3


def test_a_registry_without_changelogs_has_none_to_read(put: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(restore, "CHANGELOGS", ())
    put(event("stored", NOON))
    assert names(on_time()) == Counter(["stored"])


def test_an_empty_lake_gives_nothing(put: Any) -> None:
    put()
    assert restore.recent_since(NOON_MS, "b", 5, lambda rows: rows).num_rows == 0
    assert on_time().num_rows == 0
