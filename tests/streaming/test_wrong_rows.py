"""A captured row whose change was rejected stays a problem until a later change of it is accepted, or its copy is seen right."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from infra.problems import problems
from infra.settings import Settings
from streaming.quarantine import wrong_rows
from streaming.reasons import Outcome, Reason
from streaming.shop.contracts.shop_db import SHOP_PRODUCTS, SHOP_STOCK

PRODUCTS, STOCK = "shop.public.products", "shop.public.stock"
CAPTURED = {one.topic: one.captured for one in (SHOP_PRODUCTS, SHOP_STOCK) if one.captured}
ACCEPTED, REJECTED = Outcome.ACCEPTED.value, Outcome.REJECTED.value
SCHEMA = pa.schema(
    [("topic", pa.string()), ("partition", pa.int32()), ("offset", pa.int64()), ("key", pa.binary()),
     ("reasons", pa.list_(pa.string()))]
)  # fmt: skip


class Stream:
    """Micro-batches of changes: (key, outcome) in the order of their arrival."""

    def __init__(self, home: Path) -> None:
        self.settings = Settings(home=home)
        self.offset = 0

    def send(self, *changes: tuple[str | None, str], topic: str = PRODUCTS, reason: str = "oversize") -> None:
        rows: list[dict[str, Any]] = []
        for key, outcome in changes:
            reasons = [reason] if outcome == REJECTED else []
            record = {"topic": topic, "partition": 0, "offset": self.offset, "key": key and key.encode()}
            rows.append(record | {"reasons": reasons})
            self.offset += 1
        outcomes = pa.array([outcome for _, outcome in changes], pa.string())
        wrong_rows.told(self.settings, pa.Table.from_pylist(rows, SCHEMA), outcomes, CAPTURED)

    def wrong(self) -> list[str]:
        return sorted(one.id for one in problems(self.settings))


@pytest.fixture
def stream(tmp_path: Path) -> Stream:
    return Stream(tmp_path)


def test_a_rejected_change_names_row_place_reason_and_command(stream: Stream) -> None:
    stream.send(("p-1", ACCEPTED), ("p-2", REJECTED))
    (found,) = problems(stream.settings)
    assert found.id == f"captured.row/{PRODUCTS}/p-2"
    assert (
        found.what
        == f"{PRODUCTS}: every copy of the row p-2 is wrong, its change at {PRODUCTS}-0@1 was rejected (oversize)"
    )
    assert found.mend.endswith("daybreak shop-db snapshot")


def test_it_stays_over_restarts_until_the_row_is_accepted(tmp_path: Path, stream: Stream) -> None:
    stream.send(("p-1", REJECTED), ("p-2", REJECTED))
    since = problems(stream.settings)[0].since
    again = Stream(tmp_path)
    again.send(("p-3", ACCEPTED), ("p-2", Outcome.DUPLICATE.value), ("p-1", REJECTED))
    assert again.wrong() == [f"captured.row/{PRODUCTS}/p-1", f"captured.row/{PRODUCTS}/p-2"]
    assert problems(stream.settings)[0].since == since
    again.send(("p-1", ACCEPTED))
    again.send(("p-2", ACCEPTED), topic=STOCK)
    assert again.wrong() == [f"captured.row/{PRODUCTS}/p-2"]
    again.send(("p-2", ACCEPTED))
    assert again.wrong() == []


def test_of_one_micro_batch_the_last_change_of_a_row_counts(stream: Stream) -> None:
    stream.send(("p-1", REJECTED), ("p-1", ACCEPTED), ("p-2", ACCEPTED), ("p-2", REJECTED))
    assert stream.wrong() == [f"captured.row/{PRODUCTS}/p-2"]


def test_a_topic_that_is_not_captured_has_no_rows(stream: Stream) -> None:
    stream.send(("o-1", REJECTED), topic="orders")
    assert stream.wrong() == []


def test_an_unavailable_text_names_the_tables_identity(stream: Stream) -> None:
    stream.send(("p-1", REJECTED), reason=Reason.UNAVAILABLE_VALUE.value)
    (found,) = problems(stream.settings)
    assert found.mend == "ALTER TABLE public.products REPLICA IDENTITY FULL; then: daybreak shop-db snapshot"


def test_more_rows_than_are_named_are_counted(stream: Stream, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wrong_rows, "NAMED", 2)
    stream.send(*((f"p-{number}", REJECTED) for number in range(5)))
    named, others = stream.wrong()[:2], stream.wrong()[2:]
    assert (len(named), others) == (2, [f"captured.rows/{PRODUCTS}"])
    told = next(one for one in problems(stream.settings) if one.id in others)
    assert (told.count, told.mend) == (3, "daybreak shop-db snapshot, then: daybreak shop-db check")
    before = wrong_rows.known(stream.settings)
    stream.send(("p-9", REJECTED))
    wrong_rows.seen_right(stream.settings, before, [PRODUCTS])
    assert stream.wrong() == [f"captured.rows/{PRODUCTS}"], "it was told again while the copies were compared"


def test_a_copy_that_was_seen_right_ends_what_was_known_before(stream: Stream) -> None:
    stream.send(("p-1", REJECTED), ("p-2", REJECTED))
    stream.send(("s-1", REJECTED), topic=STOCK)
    before = wrong_rows.known(stream.settings)
    stream.send(("p-2", REJECTED), ("p-3", REJECTED))
    wrong_rows.seen_right(stream.settings, before, [PRODUCTS])
    assert stream.wrong() == [
        f"captured.row/{PRODUCTS}/p-2",
        f"captured.row/{PRODUCTS}/p-3",
        f"captured.row/{STOCK}/s-1",
    ]


def test_the_commands_that_mend_a_table_change_no_version_of_it() -> None:
    """A contract's version covers how its table is captured, as text."""
    captured = CAPTURED[STOCK]
    assert str(replace(captured, again="a", check="b")) == str(captured)
    assert "daybreak" not in str(captured)
