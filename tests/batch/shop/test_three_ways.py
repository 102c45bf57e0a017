"""When an order's row and the replay of its events differ, and when an event is only on its way."""

from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import dataset

from batch.shop import three_ways
from batch.shop.three_ways import LATEST, Asked, Verdict, _by_order, _time, judged, unlike
from infra.settings import Settings
from streaming.shop.order_state import State, Status

NOON = datetime(2026, 1, 31, 12, tzinfo=UTC)
ASKED = Asked(NOON + timedelta(hours=1), made=NOON - timedelta(days=9))
SECOND, THIRD = NOON + timedelta(minutes=1), NOON + timedelta(minutes=2)
PAID = State(Status.PAID, "c-1", 2, 900, 900)
ROW = {
    "customer_id": "c-1",
    "status": "paid",
    "lines": 2,
    "total_cents": 900,
    "paid_cents": 900,
    "failed_payments": 0,
    "reason": None,
}


def placed(at: datetime = NOON, arrival: datetime = NOON) -> dict[str, Any]:
    payload = {"order_id": "o-1", "customer_id": "c-1", "items": [{}, {}], "total_cents": 900}
    return event("orders", "order_placed", at, arrival, payload)


def captured(at: datetime = SECOND, arrival: datetime = SECOND) -> dict[str, Any]:
    return event("payments", "payment_captured", at, arrival, {"order_id": "o-1", "amount_cents": 900})


def event(topic: str, kind: str, at: datetime, arrival: datetime, payload: dict[str, Any]) -> dict[str, Any]:
    place = {"topic": topic, "partition": 0, "offset": 0, "event_id": f"{kind} {at}", "event_type": kind}
    return place | {"event_time": at, "arrival": arrival, "late_by_ms": 0, topic: payload}


def test_a_row_that_is_the_replay_is_equal() -> None:
    assert judged(ROW, [captured(), placed()], {NOON, SECOND}, (), ASKED) == (Verdict.EQUAL, None)


def test_a_row_whose_events_have_not_all_come_waits() -> None:
    verdict, why = judged(ROW, [placed()], {NOON, SECOND}, (), ASKED)
    assert (verdict, why) == (Verdict.WAITING, "the event of its change of 2026-01-31 12:01:00 has not come")
    assert judged(ROW, [], {NOON, SECOND}, (), ASKED)[0] is Verdict.WAITING


def test_nothing_waits_longer_than_the_shops_events_are_late() -> None:
    later = Asked(SECOND + LATEST, ASKED.made)
    assert judged(ROW, [placed()], {NOON, SECOND}, (), later) == (
        Verdict.DIFFERING,
        "status is paid in the database, and placed by the replay of its events",
    )


def test_what_was_written_after_the_rows_were_read_is_left_out() -> None:
    row = ROW | {"status": "placed", "paid_cents": 0}
    assert judged(row, [placed(), captured()], {NOON}, {SECOND}, ASKED)[0] is Verdict.EQUAL
    behind = captured(arrival=ASKED.at + timedelta(seconds=1))
    assert judged(row, [placed(), behind], {NOON}, (), ASKED)[0] is Verdict.EQUAL
    assert judged(None, [behind], (), (), ASKED)[0] is Verdict.EQUAL
    assert judged(row, [placed(), captured()], {NOON}, (), ASKED)[0] is Verdict.DIFFERING


def test_an_order_from_before_the_table_is_not_compared() -> None:
    young = Asked(ASKED.at, made=SECOND)
    row = ROW | {"status": "unknown", "customer_id": None, "lines": None, "total_cents": None}
    known = [placed(), captured(arrival=THIRD)]
    assert judged(row, known, {SECOND}, (), young)[0] is Verdict.OLDER
    assert judged(None, [placed()], (), (), young)[0] is Verdict.OLDER
    assert judged(row, known, {SECOND}, (), ASKED)[0] is Verdict.DIFFERING


@pytest.mark.parametrize(
    ("row", "state", "said"),
    [
        (None, State(), "it has events, and no row in the database"),
        (ROW, None, "it has a row in the database, and no event"),
        (ROW | {"paid_cents": 1}, PAID, "paid_cents is 1 in the database, and 900 by the replay"),
        (ROW | {"reason": ""}, PAID, "reason is  in the database, and null by the replay"),
        (ROW, PAID, None),
    ],
)  # fmt: skip
def test_the_first_column_that_differs_is_named(row: Any, state: Any, said: str | None) -> None:
    found = unlike(row, state)
    assert found is None if said is None else str(found).startswith(said)


def test_a_character_that_postgres_cannot_write_is_no_difference() -> None:
    cancelled = State(Status.CANCELLED, "c-1", 2, 900, 900, reason="too\0slow")
    row = ROW | {"status": "cancelled", "reason": "too\ufffdslow"}
    assert unlike(row, cancelled) is None
    assert unlike(row | {"reason": "too slow"}, cancelled) is not None


def test_orders_in_parts_are_all_orders(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = Random(1)
    rows = []
    for number in range(300):
        order = f"o-{rng.randrange(1 << 32):08x}"
        for own in (placed(), captured()):
            payloads = {"orders": None, "payments": None, own["topic"]: {"order_id": order}}
            rows.append(own | payloads | {"offset": number})
    silver = dataset.dataset(pa.Table.from_pylist(rows))
    # The files of a lake are read like this, by columns and a condition.
    read = lambda s, table, columns, where: silver.to_table(columns=columns, filter=where)  # noqa: E731
    monkeypatch.setattr(three_ways.reader, "read", read)
    without_events = {"o-00000000-": ROW}
    whole = dict(_by_order(Settings(), without_events))
    monkeypatch.setattr(three_ways, "MANY", 0)
    parts = list(_by_order(Settings(), without_events))
    assert len(parts) == len(whole) == 301
    assert dict(parts) == whole
    assert {len(events) for events in whole.values()} == {0, 2}


def test_a_row_that_was_deleted_or_never_written_is_found() -> None:
    assert judged(None, [placed()], {NOON}, (), ASKED)[0] is Verdict.DIFFERING
    assert judged(ROW, [], (), (), ASKED) == (Verdict.DIFFERING, "it has a row in the database, and no event")


@pytest.mark.parametrize(
    "row", [None, {}, {"changed_at": 7}, {"changed_at": "soon"}, {"changed_at": "2026-01-31"}, {"changed_at": None}]
)
def test_a_forged_change_without_a_time_is_passed_over(row: Any) -> None:
    assert _time(row) is None
    assert _time({"changed_at": "2026-01-31T12:00:00Z"}) == NOON
