"""Whether a topic is still the log that was read: asked when its records are there and before any is written."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pytest

from infra.failures import PermanentFailure
from streaming.micro_batch import ingest
from streaming.micro_batch.in_driver import InDriver
from streaming.micro_batch.ingest import Ingest
from streaming.positions import same_log
from streaming.positions.checkpoint import Planned
from streaming.positions.same_log import others, still

NOON = datetime(2026, 1, 31, 12, tzinfo=UTC)
WAS = {"orders": "first", "clicks": "first"}


@pytest.mark.parametrize(
    ("now", "found"),
    [
        (WAS, []),
        (WAS | {"clicks": "second"}, ["clicks"]),
        ({"orders": "first"}, ["clicks"]),
        # A broker that has no ids.
        (WAS | {"clicks": ""}, []),
        (WAS | {"payments": "first"}, []),
        ({}, ["clicks", "orders"]),
    ],
)
def test_another_log_is_one_with_another_id_or_none(now: dict[str, str], found: list[str]) -> None:
    assert [one.topic for one in others(WAS, now, [*WAS, "payments"])] == found


def test_a_topic_that_is_not_asked_for_may_be_gone() -> None:
    assert others(WAS, {"orders": "first"}, ["orders"]) == []


def test_what_came_from_another_log_is_not_written(monkeypatch: pytest.MonkeyPatch) -> None:
    order: list[str] = []

    def fetched() -> pa.Table:
        order.append("fetched")
        return pa.table(
            {"arrival": [NOON], "topic": ["clicks"], "partition": [0], "offset": [0], "reasons": [["empty"]]}
            | {"event_id": pa.array([None], pa.string()), "content_hash": pa.array([None], pa.int64())}
            | {"event_time": pa.array([None], pa.timestamp("us", "UTC"))}
        )

    def asked(topics: dict[str, str], admin: object) -> dict[str, str]:
        order.append("asked")
        return WAS | {"clicks": "second"}

    def written(*arguments: object) -> None:
        raise PermanentFailure("it was written")

    monkeypatch.setattr(same_log, "topic_ids", asked)
    monkeypatch.setattr(ingest, "point", lambda place: None)
    own: Any = Ingest.__new__(Ingest)
    own._checkpoints = SimpleNamespace(
        planned=lambda query, number: Planned(NOON, {}), started_from=lambda query: {"clicks": {"0": 0}}
    )
    own._lease, own._generation, own._definitions = SimpleNamespace(check=lambda: None), "g", {}
    rate: Any = SimpleNamespace(read=lambda validated, batch: validated.toArrow())
    own._rows = InDriver(rate, {}, {})
    own.held_back, own._pool = SimpleNamespace(ask=lambda pool, places: None, admin=None), ThreadPoolExecutor(1)
    own._restored, own._topic_ids = lambda batch_id: SimpleNamespace(at=None), WAS
    own._times = SimpleNamespace(of=lambda planned, number: planned)
    own._write = written
    with pytest.raises(PermanentFailure, match="clicks was deleted and made again: its id was first and is second"):
        own(SimpleNamespace(toArrow=fetched), 0)
    assert order == ["fetched", "asked"]


def test_the_same_log_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(same_log, "topic_ids", lambda topics, admin: WAS)
    still(WAS, object())  # type: ignore[arg-type]
