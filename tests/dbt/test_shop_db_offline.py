"""The captured tables in gold, with the option shop-db: the newest row of each key, without a gateway."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from offline_gold import Compiled, compiled
from pyspark.sql import SparkSession

from infra.lake.columns import column, struct
from infra.lake.rows import frame
from infra.shop.db.tables import COMPARED
from streaming.shop.contracts.shop_db import SHOP_CUSTOMERS, SHOP_ORDERS, SHOP_PRODUCTS, SHOP_STOCK
from streaming.tables.silver import SILVER

pytestmark = pytest.mark.slow

AT = datetime(2026, 1, 31, 12, tzinfo=UTC)
CAPTURED = (SHOP_CUSTOMERS, SHOP_PRODUCTS, SHOP_STOCK, SHOP_ORDERS)
CONTRACTS = {contract.topic.rpartition(".")[2]: contract for contract in CAPTURED}
EVENTS = struct(*SILVER.schema, *(column(one.column, one.payload, "its row") for one in CONTRACTS.values()))


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Compiled]:
    return {one.name: one for one in compiled(tmp_path_factory.mktemp("dbt"), 600, "shop-db")}


def change(table: str, lsn: int, event_type: str, **row: Any) -> dict[str, Any]:
    contract = CONTRACTS[table]
    event = {"topic": contract.topic, "event_id": f"{lsn:08x}-0000-4000-8000-000000000000", "event_type": event_type}
    return event | {"event_time": AT + timedelta(seconds=lsn), contract.column: row}


def rows(session: SparkSession, models: dict[str, Compiled], table: str, events: Sequence[dict[str, Any]]) -> Any:
    staging, dim = models[f"stg_silver__shop_{table}"], models[f"dim_shop_{table}"]
    frame(session, events, EVENTS).createOrReplaceTempView("shop_db_events")
    session.sql(staging.sql.replace("silver.events", "shop_db_events")).createOrReplaceTempView("shop_db_changes")
    found = session.sql(dim.sql.replace(str(staging.relation), "shop_db_changes")).collect()
    return [{name: value for name, value in row.asDict().items() if value is not None} for row in found]


def test_the_change_with_the_largest_position_is_the_row(spark: SparkSession, models: dict[str, Compiled]) -> None:
    told = [
        change("stock", 3, "stock_counted", product_id="p-1", warehouse="north", on_hand=3),
        change("stock", 0xF, "stock_counted", product_id="p-1", warehouse="north", on_hand=5),
        change("stock", 1, "stock_opened", product_id="p-1", warehouse="north", on_hand=1),
        change("stock", 2, "stock_opened", product_id="p-1", warehouse="south", on_hand=2),
        change("customers", 0x10, "customer_moved", customer_id="c-1", name="Ada"),
    ]
    found = {row["warehouse"]: row["on_hand"] for row in rows(spark, models, "stock", told)}
    assert found == {"north": 5, "south": 2}


def test_a_row_whose_last_change_is_a_deletion_is_gone(spark: SparkSession, models: dict[str, Compiled]) -> None:
    gone = change("customers", 2, "customer_left", customer_id="c-1")
    told = [change("customers", 1, "customer_registered", customer_id="c-1", name="Ada", region="north"), gone]
    assert rows(spark, models, "customers", told) == []
    again = change("customers", 3, "customer_registered", customer_id="c-1", name="Eve", note="back")
    (row,) = rows(spark, models, "customers", [*told, again])
    assert (row["name"], row["note"], "region" in row) == ("Eve", "back", False)


def test_every_column_of_a_table_is_in_gold(models: dict[str, Compiled]) -> None:
    assert {*CONTRACTS} == {*COMPARED}
    for table, contract in CONTRACTS.items():
        sql = models[f"dim_shop_{table}"].sql
        assert all(f"change.{name} as {name}," in sql for name in contract.payload.fieldNames())
        assert f"where change.event_type <> '{contract.captured.types['d']}'" in sql  # type: ignore[union-attr]


def test_without_the_option_there_is_none(nodes: Sequence[Compiled]) -> None:
    assert not [one.name for one in nodes if "_shop_customers" in one.name or "_shop_stock" in one.name]
