"""The night's copy of the captured tables: what no night has read yet is no difference, and stops no comparison."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pytest
from confluent_kafka import Producer
from deltalake import DeltaTable, write_deltalake

from batch.shop.captured_truth import in_truth, not_yet
from infra.failures import PermanentFailure
from infra.lake import reader
from infra.shop.db.tables import COMPARED
from streaming.contracts import CONTRACTS
from streaming.shop.contracts.shop_db import SHOP_CUSTOMERS, SHOP_ORDERS, SHOP_PRODUCTS, SHOP_STOCK

NOON = datetime.now(UTC) - timedelta(days=1)
DAY = NOON.date()
S: Any = SimpleNamespace()


def change(number: int, name: str) -> bytes:
    row = {"customer_id": f"c-{number}", "name": name, "region": "north", "note": None, "changed_at": NOON.isoformat()}
    source = {"lsn": 8 * number, "ts_ms": round(NOON.timestamp() * 1000)}
    return json.dumps({"op": "c", "before": None, "after": row, "source": source}).encode()


@pytest.fixture
def lake(tmp_path: Path, kafka: SimpleNamespace, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A day is settled with two changes of customers in the archive; a third has come since."""
    for one in (SHOP_CUSTOMERS, SHOP_PRODUCTS, SHOP_STOCK, SHOP_ORDERS):
        monkeypatch.setitem(CONTRACTS, one.topic, one)
    monkeypatch.setattr(reader, "delta", lambda s, table, version=None: DeltaTable(tmp_path / table))
    monkeypatch.setattr(reader, "exists", lambda s, table: DeltaTable.is_deltatable(str(tmp_path / table)))
    monkeypatch.setattr(reader, "_files", lambda s, table, version: reader.delta(s, table).to_pyarrow_dataset())
    producer = Producer({"bootstrap.servers": kafka.kafka_bootstrap})
    for number, name in enumerate(("Ada", "Bea", "Eve"), 1):
        producer.produce(SHOP_CUSTOMERS.topic, key=b"k", value=change(number, name), partition=0)
    for one in (SHOP_PRODUCTS, SHOP_STOCK, SHOP_ORDERS):
        producer.produce(one.topic, key=b"k", value=b"{", partition=0)
    assert producer.flush(30) == 0
    offsets = pa.list_(pa.struct([("topic", pa.string()), ("partition", pa.int32()), ("to", pa.int64())]))
    covered = [{"topic": SHOP_CUSTOMERS.topic, "partition": 0, "to": 2}]
    settled = pa.table({"day": [DAY], "offsets": pa.array([covered], offsets)})
    write_deltalake(tmp_path / "reconciliation" / "settlements", settled)
    return tmp_path


def truth(lake: Path, **more: Any) -> None:
    events = {"topic": ["orders"], "event_id": ["1"], "event_type": ["order_placed"], "day": [DAY], "orders": ["..."]}
    write_deltalake(lake / "truth" / "events", pa.table(events | more), mode="overwrite", schema_mode="overwrite")


def customers(*names: str) -> dict[str, Any]:
    rows = [
        {"customer_id": f"c-{at}", "name": name, "region": "north", "note": None} for at, name in enumerate(names, 1)
    ]
    ids = [f"{8 * at:08x}-0000-4000-8000-000000000000" for at in range(1, len(rows) + 1)]
    column = pa.array(rows, pa.struct([(name, pa.string()) for name in ("customer_id", "name", "region", "note")]))
    same = {"topic": [SHOP_CUSTOMERS.topic] * len(rows), "event_type": ["customer_registered"] * len(rows)}
    return same | {
        "event_id": ids,
        "day": [DAY] * len(rows),
        "orders": ["..."] * len(rows),
        SHOP_CUSTOMERS.column: column,
    }


def test_tables_that_no_night_has_read_are_not_yet(lake: Path) -> None:
    truth(lake)
    assert (in_truth(S), not_yet(S)) == ([], [*COMPARED])
    with pytest.raises(PermanentFailure, match="truth/events has no column shop_public_customers yet"):
        reader.read(S, "truth/events", ["topic", SHOP_CUSTOMERS.column])


def test_what_came_since_the_day_was_settled_is_not_compared(lake: Path) -> None:
    truth(lake, **customers("Ada", "Bea"))
    (found,) = in_truth(S)
    assert (found.table, found.rows, found.copied, found.differing) == ("customers", 2, 2, 0)
    assert not_yet(S) == ["products", "stock", "orders"]


def test_a_copy_of_the_night_that_differs_is_told(lake: Path) -> None:
    truth(lake, **customers("Ada", "Zoe"))
    (found,) = in_truth(S)
    assert found.first == "c-2: name is Bea, and Zoe in the copy"
