"""Events of a history as flat dicts, with their time in milliseconds: as `oracle` reads them, and as a view does.

Data flow: flat dicts -> EVENT, KNOWN_AT -> a view -> rows by day, as values
Run: pytest tests/streaming/test_oracle.py tests/streaming/test_hot_keys.py
"""

from collections import defaultdict
from datetime import UTC, date, datetime
from typing import Any

import pyarrow as pa
from pyspark.sql.types import StructField, StructType, TimestampType

from streaming.micro_batch.outcomes import arrow_schema
from streaming.tables.silver import EVENT
from streaming.views.as_of import KNOWN_AT
from streaming.views.view import View

KNOWN = StructType([*EVENT.fields, StructField(KNOWN_AT, TimestampType())])
TOPIC = {"order": "orders", "payment": "payments", "customer": "customers"}
KIND_TOPIC = {"search_made": "searches", "product_clicked": "clicks", "product_listed": "products"}
KIND_TOPIC |= {"product_withdrawn": "products", "search_saved": "saved_searches", "search_removed": "saved_searches"}


def event(flat: dict[str, Any]) -> dict[str, Any]:
    kind = flat["event_type"]
    topic = KIND_TOPIC.get(kind) or TOPIC[kind.partition("_")[0]]
    own = {name: value for name, value in flat.items() if name not in ("ms", "event_id", "event_type")}
    at = datetime.fromtimestamp(flat["ms"] / 1000, UTC)
    return {
        "topic": topic,
        "event_type": flat["event_type"],
        "event_id": flat["event_id"],
        "event_time": at,
        topic: own,
    }


def arrow(flat: list[dict[str, Any]]) -> pa.Table:
    """The columns of EVENT, and KNOWN_AT."""
    found = pa.Table.from_pylist([event(one) for one in flat], schema=arrow_schema(EVENT))
    return found.append_column(KNOWN_AT, found["event_time"])


def plain(value: Any) -> Any:
    if isinstance(value, datetime):
        return round(value.timestamp() * 1000)
    return value


def rows_of(view: View, table: pa.Table) -> dict[date, list[list[Any]]]:
    """The rows by day, as values in the order of the view's columns."""
    found: dict[date, list[list[Any]]] = defaultdict(list)
    for row in table.to_pylist():
        found[row["day"]].append([plain(row[one.name]) for one in view.columns])
    return {day: sorted(rows, key=repr) for day, rows in found.items()}
