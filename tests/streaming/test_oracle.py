"""Every view equals its plain definition on a thousand random small histories, at once and in random micro-batches.

Data flow: a history per day, ids of its own -> the view's `define`, and the stream's state -> rows, beside tests/streaming/oracle
Run: pytest tests/streaming/test_oracle.py

Histories do not meet: each has a day and ids of its own. So one Spark job defines a view for all of them.
"""

import random
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pyarrow as pa
import pytest
from flat import KNOWN, arrow, rows_of
from oracle import ORACLE
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from streaming.state.shared_plan import answered
from streaming.state.update_views import Keeping
from streaming.state.view_state import CLOSES
from streaming.tables.speed import latest_rows
from streaming.views import VIEWS
from streaming.views.view import View

pytestmark = pytest.mark.slow

HISTORIES = 1000
FIRST = datetime(2020, 1, 1, tzinfo=UTC)
PIECES = 4
TITLES = ("Red Lamp", "lamp; Café", "cafe\u0301 red  LAMP", "Mug")
NO_WORDS = "--"
WORDS = ("lamp", "RED lamp", "cafe", "lamp café lamp", "mug -", NO_WORDS)
SHOWN: tuple[list[str], ...] = ([], ["p-1"], ["p-2", "p-3", "p-1"])
KINDS = ("payment_captured", "payment_failed", "payment_failed", "payment_refunded")
CENTS = (100, 499, 500, 10_000, 10_001, 20_000)
GAPS_MS = (0, 1, 1000, 40_000, 60_000, 150_000, 300_000, 300_001, 600_000, 1_800_000, 1_800_001, 3_600_000)


def history(number: int) -> list[dict[str, Any]]:
    """Up to fourteen events of an hour or some, at times that meet and miss the views' borders; flat, with `ms`."""
    chance = random.Random(number)
    at = round((FIRST + timedelta(days=number, hours=12)).timestamp() * 1000) + chance.choice((0, 1, 59_999))
    found: list[dict[str, Any]] = []
    for place in range(chance.randint(1, 20)):
        at += chance.choice(GAPS_MS)
        order_id = f"o-{number}-{chance.randint(0, 3)}"
        event: dict[str, Any] = {"ms": at, "event_id": f"{number}-{place}", "order_id": order_id}
        event["customer_id"] = f"c-{number}-{chance.randint(0, 1)}"
        if chance.random() < 0.4:
            event |= change(number, chance)
        elif chance.random() < 0.3:
            event |= {"event_type": chance.choice(("search_made", "product_clicked", "product_clicked"))}
            event |= {"session_id": f"v-{number}-{chance.randint(0, 1)}", "product_id": f"p-{chance.randint(1, 4)}"}
            event |= {"query": chance.choice(("Red Lamp", " lamp ", "")), "product_ids": chance.choice(SHOWN)}
        elif chance.random() < 0.4:
            items = [{"product_id": "p-1", "quantity": chance.randint(1, 3), "unit_price_cents": 5}]
            event |= {"event_type": "order_placed", "items": items, "total_cents": chance.randint(1, 5)}
        else:
            event |= {"event_type": chance.choice(KINDS), "payment_id": f"pay-{number}-{place}"}
            event |= {"card_id": f"card-{number}-{chance.randint(0, 1)}", "amount_cents": chance.choice(CENTS)}
        found.append(event)
    if chance.random() < 0.6:
        found += pattern(number, at, chance)
    chance.shuffle(found)
    return found


def change(number: int, chance: random.Random) -> dict[str, Any]:
    """A change of a customer, a product or a saved search; its other fields are those of any event."""
    kind = chance.choice(
        ("customer_moved", "customer_left", "product_listed", "product_withdrawn", "search_saved", "search_removed")
    )
    own: dict[str, Any] = {"event_type": kind, "region": chance.choice(("north", "south")), "name": "Ann"}
    own |= {"product_id": f"p-{chance.randint(1, 4)}", "search_id": f"s-{number}-{chance.randint(0, 2)}"}
    # A word of its own, because histories do not meet; a search without a word shall match nothing.
    words = chance.choice(WORDS)
    own |= {"words": words if words == NO_WORDS else f"{words} only{number}"}
    return own | {"title": f"{chance.choice(TITLES)} only{number}"}


def pattern(number: int, at: int, chance: random.Random) -> list[dict[str, Any]]:
    """Nearly an alert, or one: a small payment, failures, a large one."""
    kinds = ["payment_captured", *["payment_failed"] * chance.randint(1, 3), "payment_captured"]
    cents = [chance.choice((499, 500)), *[5] * (len(kinds) - 2), chance.choice((10_000, 10_001))]
    found = []
    for place, (kind, amount) in enumerate(zip(kinds, cents, strict=True)):
        at += chance.choice((0, 1, 150_000, 200_000, 300_000))
        one = {"ms": at, "event_id": f"{number}-p{place}", "event_type": kind, "amount_cents": amount}
        found.append(one | {"payment_id": f"pay-{number}-p{place}", "order_id": "o-x", "card_id": f"card-{number}-0"})
    return found


FLAT = [history(number) for number in range(HISTORIES)]


@pytest.fixture(scope="module")
def expected() -> dict[str, dict[date, list[list[Any]]]]:
    found: dict[str, dict[date, list[list[Any]]]] = {name: {} for name in VIEWS}
    for number, flat in enumerate(FLAT):
        day = (FIRST + timedelta(days=number)).date()
        for name, view in VIEWS.items():
            rows = [[row[one.name] for one in view.columns] for row in ORACLE[name](flat)]
            if rows:
                found[name][day] = sorted(rows, key=repr)
    return found


@pytest.fixture(scope="module")
def said(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> dict[str, pa.Table]:
    """What the stream says last, after random micro-batches of which each has a piece of every history; nothing is closed."""
    chance, keeping = random.Random(1), Keeping(spark, str(tmp_path_factory.mktemp("state")))
    pieces: list[list[dict[str, Any]]] = [[] for _ in range(PIECES)]
    for flat in FLAT:
        for one in flat:
            chance.choice(pieces).append(one)
    log: dict[str, list[pa.Table]] = {name: [] for name in VIEWS}
    for number, piece in enumerate(pieces):
        for name, rows in keeping.update(arrow(piece), None, None).items():
            log[name].append(rows.append_column("batch_id", pa.repeat(pa.scalar(number), rows.num_rows)))
    found = {}
    for name, view in VIEWS.items():
        whole = spark.createDataFrame(pa.concat_tables(log[name]).combine_chunks()).withColumn("as_of", F.lit(FIRST))
        found[name] = latest_rows(view, whole).toArrow()
    return found


@pytest.mark.parametrize("view", VIEWS.values(), ids=VIEWS.keys())
def test_a_view_is_its_plain_definition(
    spark: SparkSession, view: View, expected: dict[str, dict[date, list[list[Any]]]]
) -> None:
    whole = arrow([one for flat in FLAT for one in flat])
    found = rows_of(view, answered(view, spark.createDataFrame(whole, KNOWN)).drop(CLOSES).toArrow())
    assert len(found) > HISTORIES / 20, "too few histories have a row"
    assert found == expected[view.name]


@pytest.mark.parametrize("view", VIEWS.values(), ids=VIEWS.keys())
def test_the_stream_says_the_plain_definition(
    said: dict[str, pa.Table], view: View, expected: dict[str, dict[date, list[list[Any]]]]
) -> None:
    assert rows_of(view, said[view.name]) == expected[view.name]


def test_every_view_has_a_plain_definition() -> None:
    assert set(ORACLE) == set(VIEWS)
