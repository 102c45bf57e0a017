"""The tables as Delta keeps them: what is read of them, and what is left."""

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from deltalake import DeltaTable, write_deltalake
from sample import DAY, sample

from batch.report import sources as module
from batch.report.figures import figures
from batch.report.sources import sources
from infra.failures import PermanentFailure
from infra.settings import settings

Lake = Callable[[str, pa.Table], None]
PARTITIONED = {"silver/events": ["day"]}


@pytest.fixture
def fill(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Lake:
    """A lake in a folder; the function adds rows to a table of it."""

    def read(_: Any, table: str, columns: list[str] | None = None, where: Any = None) -> pa.Table:
        return DeltaTable(tmp_path / table).to_pyarrow_dataset().to_table(columns=columns, filter=where)

    monkeypatch.setattr(module, "read", read)
    monkeypatch.setattr(module, "exists", lambda _, table: (tmp_path / table).is_dir())
    monkeypatch.setattr(module, "missed", lambda _: sample().gaps)
    monkeypatch.setattr(module, "known", lambda _: None)
    return lambda table, rows: write_deltalake(
        tmp_path / table, rows, mode="append", partition_by=PARTITIONED.get(table)
    )


def whole(fill: Lake) -> None:
    """The sample as tables, with a day before and one behind what the report looks at."""
    of = sample()
    for name in ("summary", "curve", "lateness", "settlements", "corrections", "conservation"):
        fill(f"reconciliation/{name}", pa.Table.from_pylist(list(getattr(of, name))))
    for days in (-module.DAYS, 1):
        fill(
            "reconciliation/summary",
            pa.Table.from_pylist([row | {"day": row["day"] + timedelta(days=days)} for row in of.summary[-1:]]),
        )
    # Another day's events, of another partition, and one that lies in this one.
    days = pa.array([DAY] * of.events.num_rows, pa.date32())
    fill("silver/events", of.events.append_column("day", days))
    fill("silver/events", of.events.slice(0, 1).append_column("day", pa.array([DAY - timedelta(days=1)], pa.date32())))
    fill("speed/progress", of.progress)
    fill("gold/rpt_builds", of.builds)


def test_what_is_read_are_the_days_that_the_page_shows(fill: Lake) -> None:
    whole(fill)
    of, found = sample(), sources(settings(), DAY)
    assert found.events.num_rows == of.events.num_rows
    assert {row["day"] for row in found.summary} == {row["day"] for row in of.summary}
    made, expected = figures(found), figures(of)
    for part in ("heat", "curves", "lateness", "fresh", "lagging", "kept", "lost", "served"):
        assert getattr(made, part) == getattr(expected, part), part


def test_a_day_that_no_night_has_compared_is_a_sentence(fill: Lake) -> None:
    with pytest.raises(PermanentFailure, match="no night has compared 2026-01-31 yet: daybreak backfill"):
        sources(settings(), DAY)
    whole(fill)
    with pytest.raises(PermanentFailure, match="no night has compared 2026-02-02 yet"):
        sources(settings(), DAY + timedelta(days=2))


def test_a_lake_before_its_first_curve_and_build_has_a_report(fill: Lake) -> None:
    of = sample()
    fill("reconciliation/summary", pa.Table.from_pylist(list(of.summary)))
    fill("silver/events", of.events.append_column("day", pa.array([DAY] * of.events.num_rows, pa.date32())))
    fill("speed/progress", of.progress)
    found = figures(sources(settings(), DAY))
    assert (found.curves, found.kept, found.revision) == ((), (), None)
    assert {one.p50 for one in found.fresh if one.stage == "gold"} == {None}
