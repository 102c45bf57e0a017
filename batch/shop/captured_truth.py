"""The night's copy of the captured tables, held against the log on the settled days.

Data flow: truth/events; the topics' changes, decoded anew -> Comparison per table
Run: daybreak shop-db check
"""

import json
from collections.abc import Iterator, Mapping
from datetime import UTC, date, datetime

import pyarrow.compute as pc

from batch.settlement.settlements import SETTLEMENTS, ends
from batch.truth.recompute import TRUTH
from infra.capture.envelope import envelope
from infra.kafka.places import Ends
from infra.kafka.read_committed import committed
from infra.lake import reader
from infra.lake.reader import ColumnMissing
from infra.settings import Settings
from infra.shop.db.changes import Change, change, folded
from infra.shop.db.check import Comparison, compared
from infra.shop.db.connector import topic
from infra.shop.db.tables import COMPARED
from infra.shop.followers.order_events import OLDEST_MS
from infra.shop.orders.decide import AHEAD_MS
from streaming.contracts import CONTRACTS
from streaming.contracts.contract import Contract
from streaming.encodings import debezium
from streaming.shop.captured_copy import columns, copy


def in_truth(s: Settings) -> list[Comparison]:
    """One comparison per table, of the changes of all settled days; none before a day was settled.

    What came since a day was settled is not compared: the next night reads it. See `not_yet` for whole tables.
    """
    settled = _settled(s)
    found = []
    for table in COMPARED if settled else ():
        contract = CONTRACTS[topic(table)]
        own = (pc.field("topic") == contract.topic) & pc.field("day").isin(sorted(settled))
        try:
            told = copy(contract, reader.read(s, TRUTH.id, columns(contract), where=own))
        except ColumnMissing:
            continue
        found.append(compared(table, "the night", folded(_changes(table, contract, settled)), told))
    return found


def not_yet(s: Settings) -> list[str]:
    """Tables of which no night has read anything, because their capture began later than it."""
    fields = reader.schema(reader.delta(s, TRUTH.id))["fields"] if reader.exists(s, TRUTH.id) else []
    known = {field["name"] for field in fields}
    return [table for table in COMPARED if CONTRACTS[topic(table)].column not in known]


def _settled(s: Settings) -> Mapping[date, Ends]:
    """The settled days with the end of the archive when they were."""
    if not reader.exists(s, SETTLEMENTS.id):
        return {}
    return {row["day"]: ends(row["offsets"]) for row in reader.read(s, SETTLEMENTS.id, ["day", "offsets"]).to_pylist()}


def _changes(table: str, contract: Contract, settled: Mapping[date, Ends]) -> Iterator[Change]:
    """The changes in the log that are events of these days, and that their night had in the archive."""
    decoder = debezium.Table.of(contract)
    for message in committed(contract.topic):
        value = message.value()
        text, _ = debezium.decode(decoder, value) if value else (None, None)
        if not text or not value:
            continue
        place = (contract.topic, message.partition() or 0)
        day = _day(json.loads(text)["event_time"], message.timestamp()[1])
        if (message.offset() or 0) < settled.get(day, {}).get(place, 0):
            yield change(table, envelope(value))


def _day(committed: int, arrival: int) -> date:
    """The day of a change (epoch milliseconds): a commit that cannot have been then counts when it arrived, as in `validate`."""
    at = committed if arrival - OLDEST_MS <= committed <= arrival + AHEAD_MS else arrival
    return datetime.fromtimestamp(at / 1000, UTC).date()
