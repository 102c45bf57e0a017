"""Change capture: how long a committed change takes to silver, and what Kafka Connect spends on it.

Data flow: transactions in the shop's database -> Debezium -> Kafka -> silver -> Figure
Run: make bench ONLY=capture
"""

import time
from datetime import UTC, datetime

import pyarrow.compute as pc

from infra.lake import reader
from infra.services.program import Name
from infra.shop.db.connection import connected
from infra.shop.db.connector import topic
from infra.shop.db.write import load
from streaming.monitor import freshness
from tests.bench.bed import CORE, Bed, until
from tests.bench.cpu import Meter
from tests.bench.figure import Figure

RATE, SECONDS = 50.0, 30
ROWS = 10_000
WAIT_SECONDS = 300
_CHANGE = (
    "INSERT INTO stock VALUES (%s, 'bench', %s, now()) ON CONFLICT (product_id, warehouse) DO UPDATE "
    "SET on_hand = excluded.on_hand, changed_at = excluded.changed_at"
)


def capture(bed: Bed) -> list[Figure]:
    """Single transactions at RATE, and ROWS in one; the option shop-db is turned on for it."""
    bed.run("up", "--with", "shop-db", "--only", f"{CORE},connect")
    # The first changes make the topic, and warm both JVMs.
    _arrived(bed, _write(bed, 10))
    return [*_singly(bed), *_at_once(bed)]


def _singly(bed: Bed) -> list[Figure]:
    since, before = datetime.now(UTC), _captured(bed)
    with Meter(_connect(bed)) as meter:
        written = _write(bed, SECONDS)
        _arrived(bed, before + written)
        spent = meter.total()
    rows = freshness.freshness(bed.settings, since, datetime.now(UTC), freshness.Clock.EVENT)
    silver = next(row for row in rows if row.stage == "silver")
    note = f"{written:,} transactions at {RATE:g}/s"
    return [
        Figure("capture", "commit to silver, p50", silver.p50 or 0.0, "s", note=note),
        Figure("capture", "commit to silver, p95", silver.p95 or 0.0, "s"),
        Figure("capture", "Kafka Connect's CPU per change", spent * 1000 / written, "ms"),
    ]


def _at_once(bed: Bed) -> list[Figure]:
    before = _captured(bed)
    with Meter(_connect(bed)) as meter:
        with connected(bed.settings) as database:
            load(database, ROWS, datetime.now(UTC))
        committed = time.monotonic()
        _arrived(bed, before + ROWS)
        took, spent = time.monotonic() - committed, meter.total()
    return [
        Figure("capture", f"{ROWS:,} rows in one transaction, commit to silver", took, "s"),
        Figure("capture", "Kafka Connect's CPU per row of these", spent * 1000 / ROWS, "ms"),
    ]


def _write(bed: Bed, seconds: int) -> int:
    """Transactions of one row each, at RATE; how many."""
    count = round(RATE * seconds)
    began = time.monotonic()
    with connected(bed.settings) as database:
        for number in range(count):
            time.sleep(max(began + number / RATE - time.monotonic(), 0))
            database.execute(_CHANGE, [f"bench-{number % 100}", number])
    return count


def _captured(bed: Bed) -> int:
    """Changes of stock in silver."""
    own = pc.field("topic") == topic("stock")
    return reader.read(bed.settings, "silver/events", ["topic"], where=own).num_rows


def _arrived(bed: Bed, count: int) -> None:
    until(f"{count:,} changes to be in silver", lambda: _captured(bed) >= count, WAIT_SECONDS)


def _connect(bed: Bed) -> dict[str, int]:
    return {"connect": bed.pids()[Name.CONNECT]}
