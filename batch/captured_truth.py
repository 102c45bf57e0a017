"""The night's copy of the captured tables, held against the log on the settled days.

Data flow: truth/events; the topics' changes, decoded anew -> Comparison per table
Run: daybreak shop-db check
"""

import json
from collections.abc import Iterator
from datetime import UTC, date, datetime

import pyarrow.compute as pc

from batch.settlement.settlements import SETTLEMENTS
from batch.truth import TRUTH
from infra.kafka.read_committed import committed
from infra.lake import reader
from infra.settings import Settings
from infra.shop.db.changes import Change, change, folded
from infra.shop.db.check import Comparison, compared
from infra.shop.db.connector import topic
from infra.shop.db.tables import COMPARED
from infra.shop.followers.order_events import OLDEST_MS
from infra.shop.orders.decide import AHEAD_MS
from streaming import debezium
from streaming.captured_copy import columns, copy
from streaming.contracts import CONTRACTS
from streaming.contracts.contract import Contract


def in_truth(s: Settings) -> list[Comparison]:
    """One comparison per table, of the changes of all settled days; none before a day was settled."""
    if not reader.exists(s, SETTLEMENTS.id):
        return []
    days = set(reader.read(s, SETTLEMENTS.id, ["day"])["day"].to_pylist())
    found = []
    for table in COMPARED:
        contract = CONTRACTS[topic(table)]
        own = (pc.field("topic") == contract.topic) & pc.field("day").isin(sorted(days))
        told = copy(contract, reader.read(s, TRUTH.id, columns(contract), where=own))
        found.append(compared(table, "the night", folded(_changes(table, contract, days)), told))
    return found


def _changes(table: str, contract: Contract, days: set[date]) -> Iterator[Change]:
    """The changes in the log that are events of these days."""
    decoder = debezium.Table.of(contract)
    for message in committed(contract.topic):
        value = message.value()
        text, _ = debezium.decode(decoder, value) if value else (None, None)
        if text and value and _day(json.loads(text)["event_time"], message.timestamp()[1]) in days:
            yield change(table, json.loads(value))


def _day(committed: int, arrival: int) -> date:
    """The day of a change (epoch milliseconds): a commit that cannot have been then counts when it arrived, as in `validate`."""
    at = committed if arrival - OLDEST_MS <= committed <= arrival + AHEAD_MS else arrival
    return datetime.fromtimestamp(at / 1000, UTC).date()
