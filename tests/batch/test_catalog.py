"""What is generated is what is committed, and every table of the lake says what it holds.

Data flow: registries -> batch.catalog -> the files of the tree
Run: pytest tests/batch/test_catalog.py; make catalog writes them
"""

from dataclasses import replace
from pathlib import Path

import deltalake
import pytest
from pyspark.sql import SparkSession

from batch.catalog import files as catalog
from batch.catalog.text import columns
from batch.night.all_tables import night_tables
from infra.lake import arrow_tables, spark_tables
from infra.lake.columns import column, comment, plain, struct
from infra.lake.tables import LAYERS, Table
from infra.settings import ROOT
from streaming.all_tables import stream_tables
from streaming.tables.speed import speed_table
from streaming.views import VIEWS
from streaming.views.view import View

FILES = catalog.files()
TABLES = (*stream_tables(), *night_tables())
TOTALS = VIEWS["order_totals"]


@pytest.mark.parametrize("path", FILES)
def test_a_generated_file_is_the_committed_one(path: str) -> None:
    assert (ROOT / path).read_text() == FILES[path], "run make catalog"


def test_nothing_stays_of_what_is_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    assert catalog.stale() == []
    monkeypatch.setattr(catalog, "VIEWS", {name: view for name, view in VIEWS.items() if name != "order_totals"})
    found = set(catalog.stale())
    assert {"dbt/models/marts/fct_order_totals.sql", "dbt/models/staging/stg_speed__order_totals.sql"} <= found
    assert not {path for path in found if "order_payments" in path}


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.id)
def test_a_table_says_what_a_row_and_each_column_is(table: Table) -> None:
    assert table.description.endswith(".")
    assert table.layer in LAYERS
    assert all(meaning for _, meaning in columns(table.schema))


def test_a_column_without_a_meaning_is_refused() -> None:
    nameless = struct(column("n", "bigint", ""))
    with pytest.raises(ValueError, match="no comment says what n means"):
        columns(nameless)


def test_a_name_for_a_view_and_a_topic_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catalog, "VIEWS", VIEWS | {"orders": replace(TOTALS, name="orders")})
    with pytest.raises(ValueError, match="orders is the name of a view and of a topic"):
        catalog.files()


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"columns": (*TOTALS.columns, column("status", "string", "ours"))}, "status are reserved"),
        ({"key": ("minute",)}, "minute is not among its columns"),
        ({"while_open": {"paid": ("no", "open")}}, "paid is not among its columns"),
    ],
)
def test_a_view_that_cannot_be_served_is_refused(wrong: dict[str, object], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        replace(TOTALS, **wrong)


def test_a_new_view_changes_no_file_of_another(monkeypatch: pytest.MonkeyPatch) -> None:
    other = replace(TOTALS, name="orders_again")
    monkeypatch.setattr(catalog, "VIEWS", VIEWS | {other.name: other})
    found = catalog.files()
    for path, text in FILES.items():
        assert found[path] == text or path.endswith((".yml", "macros/views.sql")), path
    added = {path for path in found if path not in FILES}
    assert {path.rsplit("/", 1)[1] for path in added} == {
        *("stg_speed__orders_again.sql", "stg_truth__orders_again.sql"),
        *("fct_orders_again.sql", "fct_orders_again_history.sql"),
    }


@pytest.mark.slow
@pytest.mark.parametrize("view", VIEWS.values(), ids=lambda view: view.name)
def test_what_a_column_means_stands_in_the_delta_table(spark: SparkSession, local_lake: Path, view: View) -> None:
    table = speed_table(view)
    spark_tables.create(spark, table)
    there = deltalake.DeltaTable(arrow_tables.place(table))
    assert {field.name: field.metadata.get("comment") for field in there.schema().fields} == {
        field.name: comment(field) for field in table.schema
    }
    assert there.metadata().description == table.description


def test_a_comment_is_no_part_of_a_type() -> None:
    (item,) = (field for field in stream_tables()[1].schema if field.name == "orders")
    assert "comment" in item.json()
    assert "comment" not in plain(item.dataType).json()
