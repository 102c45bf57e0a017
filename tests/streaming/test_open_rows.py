"""The open rows that a restart reads back: of each row what was said last, by micro-batches that are finished."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from deltalake import write_deltalake
from fewer import only_views
from pyspark.sql import SparkSession

from infra.lake.rows import arrow
from streaming.positions.watermark import millis
from streaming.state import open_rows
from streaming.state.view_state import CLOSES
from streaming.tables.speed import speed_table
from streaming.views import VIEWS

VIEW = VIEWS["order_payments"]
NOON = datetime(2026, 1, 30, 12, tzinfo=UTC)
REACH = VIEWS["order_payments"].reach
SECOND = timedelta(seconds=1)


def said(order: str, batch_id: int, cents: int = 1, at: datetime = NOON, **more: Any) -> dict[str, Any]:
    values = {"order_id": order, "ordered_at": at, "day": at.date(), "total_cents": cents, "payment_status": "unpaid"}
    state = {"is_final": False, "is_removed": False, "as_of": NOON + batch_id * SECOND, "batch_id": batch_id}
    return values | state | {"generation": "b", "definition": "1"} | more


@pytest.fixture
def found(local_lake: Path, spark: SparkSession) -> Any:
    """Writes versions to speed/order_payments, a file each; gives the open rows before micro-batch 9 of generation b."""
    table = speed_table(VIEW)
    place = f"{local_lake}/speed/{VIEW.name}"

    def open_before(*versions: dict[str, Any]) -> dict[str, dict[str, Any]]:
        for one in versions or ({},):
            write_deltalake(place, arrow([one] if one else [], table.schema), mode="append")
        with only_views(VIEW.name):
            rows = open_rows.open_rows(spark, {VIEW.name: table}, millis(NOON), "b", 9)
        return {row["order_id"]: row for row in rows[VIEW.name].to_pylist()}

    return open_before


@pytest.mark.parametrize("at_once", [open_rows.AT_ONCE, 1])
def test_the_last_version_counts_whatever_the_order_of_the_files(
    found: Any, monkeypatch: pytest.MonkeyPatch, at_once: int
) -> None:
    monkeypatch.setattr(open_rows, "AT_ONCE", at_once)
    rows = found(said("a", 7, 70), said("a", 3, 30), said("b", 4), said("b", 5, is_removed=True), said("c", 6))
    assert {name: row["total_cents"] for name, row in rows.items()} == {"a": 70, "c": 1}
    assert rows["a"][CLOSES] == NOON + REACH


def test_a_row_that_was_said_as_final_is_not_open(found: Any) -> None:
    assert set(found(said("a", 7, is_final=True), said("a", 3), said("b", -1))) == {"b"}


def test_a_micro_batch_that_is_repeated_and_older_generations_do_not_count(found: Any) -> None:
    rows = found(said("a", 8), said("a", 9, is_removed=True), said("b", 10), said("c", 2, generation="a"))
    assert set(rows) == {"a"}


def test_rows_beyond_reach_are_not_read(found: Any) -> None:
    assert set(found(said("old", 1, at=NOON - REACH - SECOND), said("reached", 1, at=NOON - REACH))) == {"reached"}


def test_without_open_rows_the_columns_are_the_same(found: Any, spark: SparkSession) -> None:
    assert found() == {}
    nothing = open_rows.still_open(spark, VIEW, [])
    assert nothing.column_names == [*VIEW.schema.fieldNames(), CLOSES]
