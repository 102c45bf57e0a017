"""A plan says what is new, changed or gone, which days are redone and what that took; of no change it says one sentence."""

import json
from collections.abc import Mapping
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from batch.commands import plan as module
from batch.conservation.check import CONSERVATION
from batch.plan.changes import Change, Kind, command, contracts, views
from batch.plan.days import Redone, redone, seconds
from batch.plan.screen import WIDTH
from batch.settlement.settlements import PAST_SETTLEMENTS, SETTLEMENTS
from batch.truth.recompute import TRUTH, truth_table
from infra.failures import PermanentFailure
from infra.lake import arrow_tables, spark_tables
from infra.lake.rows import arrow
from infra.lake.tables import Table
from infra.lake.writes import append_once
from streaming.tables.progress import INGEST, PROGRESS, REBUILT
from streaming.tables.silver import SILVER
from streaming.views import VIEWS

FIRST, SECOND = date(2026, 1, 30), date(2026, 1, 31)
NIGHT = datetime(2026, 2, 1, 2, tzinfo=UTC)
RUNNING = {"events/orders": "1", "events/payments": "1", "order_totals": "1", "order_payments": "1"}
TABLES = (PROGRESS, SETTLEMENTS, PAST_SETTLEMENTS, CONSERVATION, TRUTH, SILVER, truth_table(VIEWS["order_totals"]))


def fill(table: Table, number: int, *rows: Mapping[str, Any]) -> None:
    append_once(arrow(rows, table.schema), table, "test", number)


@pytest.fixture
def lake(local_lake: Path) -> Path:
    """A stream that was rebuilt and has read since; a night that settled two days by its versions."""
    for table in TABLES:
        # A session is needed to widen a table only.
        spark_tables.create(None, table)  # type: ignore[arg-type]
    batch = {"query": INGEST, "generation": "20260130", "definitions": [*RUNNING.items()]}
    made = {"batch_id": REBUILT, "committed_at": NIGHT, "durations": [("views", 35_000)]}
    fill(PROGRESS, 1, batch | made, batch | {"batch_id": 0, "committed_at": NIGHT + timedelta(hours=8)})
    fill(CONSERVATION, 1, {"day": SECOND, "checked_at": NIGHT})
    for number, day in enumerate((FIRST, SECOND), 1):
        at = NIGHT + timedelta(seconds=40 * number)
        fill(SETTLEMENTS, number, {"day": day, "revision": 1, "settled_at": at, "definitions": [*RUNNING.items()]})
        fill(TRUTH, number, *[{"day": day, "offset": n} for n in range(1000)])
        fill(TABLES[-1], number, *[{"day": day, "orders": n} for n in range(60)])
        fill(SILVER, number, *[{"day": day, "event_id": str(n), "late_by_ms": 0} for n in range(1200)])
    return local_lake


def asked(monkeypatch: pytest.MonkeyPatch, *words: str, **now: str | None) -> str:
    """What the command prints with other versions of the code; None: it has no such definition."""
    versions = {name: version for name, version in (RUNNING | now).items() if version}
    monkeypatch.setattr(module, "remembered", lambda: versions)
    done = CliRunner().invoke(module.commands, [*words])
    if done.exception and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done.stdout


def test_what_is_new_changed_and_gone_is_told_with_what_changed_it() -> None:
    now = {
        "events/orders": "2",
        "events/orders@2": "1",
        "events/clicks": "1",
        "events/searches": "1",
        "events/searches@2": "1",
    }
    found = contracts({**RUNNING, "events/searches": "1"}, now)
    assert found == [
        Change("clicks", Kind.NEW),
        Change("orders", Kind.CHANGED, versions=(2,)),
        Change("payments", Kind.GONE),
        Change("searches", Kind.LEARNS, versions=(2,)),
    ]
    own = {"order_totals": "2", "order_payments": "2", "fraud_alerts": "1"}
    told = views({**RUNNING, "old": "1"}, now | own, VIEWS)
    assert {(one.name, one.kind, one.because) for one in told} == {
        ("order_totals", Kind.CHANGED, ("orders",)),
        ("order_payments", Kind.CHANGED, ("orders",)),
        ("fraud_alerts", Kind.NEW, ()),
        ("old", Kind.GONE, ()),
    }
    (alone,) = views(RUNNING, RUNNING | {"order_totals": "2"}, VIEWS)
    assert alone == Change("order_totals", Kind.CHANGED)


@pytest.mark.parametrize(
    ("of_contracts", "of_views", "days", "said"),
    [
        ([], [Change("totals", Kind.CHANGED)], [], "daybreak redefine"),
        ([Change("orders", Kind.GONE)], [], [], "daybreak redefine"),
        ([], [Change("totals", Kind.NEW), Change("old", Kind.GONE)], [SECOND], "daybreak redefine --view totals"),
        ([Change("orders", Kind.LEARNS, versions=(2,))], [], [], "daybreak restart stream"),
        ([], [], [FIRST, SECOND], "daybreak night --date 2026-01-31"),
        ([], [], [], None),
    ],
)
def test_the_command_is_the_least_that_puts_the_code_into_force(
    of_contracts: list[Change], of_views: list[Change], days: list[date], said: str | None
) -> None:
    assert command(of_contracts, of_views, days) == said


def test_a_day_is_redone_whole_for_a_contract_only() -> None:
    older = RUNNING | {"events/orders": "0", "order_totals": "0"}
    found = redone({SECOND: RUNNING, FIRST: older}, RUNNING | {"fraud_alerts": "1"})
    assert found == [
        Redone(FIRST, ("orders",), ("fraud_alerts", "order_totals")),
        Redone(SECOND, (), ("fraud_alerts",)),
    ]


def test_what_days_took_leaves_out_what_waited() -> None:
    settled_at = [NIGHT + timedelta(seconds=at) for at in (30, 50)] + [NIGHT + timedelta(hours=12)]
    assert seconds(settled_at, [NIGHT]) == [30, 20]


def test_no_change_is_one_sentence(lake: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said = asked(monkeypatch)
    assert " ".join(said.split()) == (
        "No change: this code is what runs (micro-batch of 2026-02-01 10:00:00; 2 settled days, and all by it)."
    )
    assert "settled by these versions" in asked(monkeypatch, "--day", str(FIRST))


def test_a_changed_view_is_told_with_its_days_rows_and_time(lake: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = {table.id: arrow_tables.latest(table).version() for table in TABLES}
    said = asked(monkeypatch, order_totals="2", order_payments=None)
    told = " ".join(said.split())
    for words in (
        "changed order_totals its own definition",
        "gone order_payments nobody writes it any more; its rows stay",
        "2 days redone (2026-01-30 to 2026-01-31): order_totals, settled by another version",
        "the night reads 2,000 events again, for views with 120 rows; the stream reads 2,400 events of silver",
        "night: about 80.0 s (40.0 s a day, the median of the last 2; start, curve and gold come on top); ",
        "stream: 35.0 s, as its last rebuild took",
        "Numbers daybreak plan --day 2026-01-31",
        "Next daybreak redefine",
    ):
        assert words in told
    assert max(map(len, said.splitlines())) <= WIDTH
    found = json.loads(asked(monkeypatch, "--json", order_totals="2"))
    assert (found["is_same"], found["command"], found["cost"]["events"]) == (False, "daybreak redefine", 2000)
    assert found["views"] == [{"name": "order_totals", "kind": "changed", "because": [], "versions": []}]
    assert [one["day"] for one in found["redone"]] == [str(FIRST), str(SECOND)]
    assert {table.id: arrow_tables.latest(table).version() for table in TABLES} == before, "a plan writes nothing"


def test_a_new_schema_version_redoes_no_day_by_itself(lake: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told = " ".join(asked(monkeypatch, **{"events/orders@2": "1"}).split())
    assert "learns orders compatible: schema version 2, which only adds" in told
    assert "2 days redone only if records of orders@2 were rejected then" in told
    assert "Next daybreak restart stream" in told


def test_a_day_that_is_not_settled_has_no_numbers(lake: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(PermanentFailure, match="the settled days are from 2026-01-30 to 2026-01-31"):
        asked(monkeypatch, "--day", "2026-01-29")


def test_where_nothing_was_written_there_is_nothing_to_compare(
    local_lake: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(PermanentFailure, match="the stream has written nothing yet"):
        asked(monkeypatch)
