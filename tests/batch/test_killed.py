"""A night that dies at any of its points is finished by the next, and the tables are those of a night that did not die.

So are those of a day of which only some views are done again.
"""

import re
import shutil
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pytest
from deltalake import DeltaTable
from fewer import only_views
from night_lineage import events, holds, told_to
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from batch.archive import events as archive
from batch.conservation import check
from batch.days.day import Day
from batch.night import failed_nights, settle
from batch.night import steps as nights
from batch.night.steps import Step
from batch.reconciliation import reconcile
from infra import failpoints
from infra.failures import PermanentFailure
from infra.kafka.places import Ends
from infra.lake import tables
from infra.problems import of_source
from infra.settings import ROOT, Settings
from infra.shop.faults import Faults
from streaming.positions import cut_off, topic_settings
from tests.bench.oracle.day import fill, records, shop, write_log

pytestmark = pytest.mark.slow

DAY = Day(date(2026, 1, 30))
FAULTS = Faults(duplicates=0.1, late=0.1, malformed=0.1, future=0.02)
FIRST = ("archive.before", "archive.after", "conservation.after", "truth.after-events", "truth.after")
COMPARED = tuple(f"reconcile.after-{table}" for table in ("evidence", "summary", "differences"))
SETTLING = ("correct.before-settlements", "correct.after-settlements")
ASKING = "correct.before-asking"
PUBLISHING = ("publish.before-commit", "publish.after-commit")
"""Of these the first is killed beside a real broker (test_09_corrections), the second dies in test_publish."""
VIEWS = ("order_totals", "order_payments")
TABLES = (
    *("archive/events", "reconciliation/conservation", "truth/events", "truth/quarantine"),
    *(f"truth/{view}" for view in VIEWS),
    *("reconciliation/differences", "reconciliation/evidence"),
    *("reconciliation/summary", "reconciliation/corrections", "reconciliation/open_rows", "reconciliation/settlements"),
)
STAMPS = {"run", "settled_at", "corrected_at", "checked_at"}
"""What says when, and which of the nights it was."""


class Killed(BaseException):
    """Nothing may catch it, as nothing catches a `kill -9`."""


@dataclass
class Nights:
    """Nights of DAY over a lake in a folder, each of which may be killed at a point."""

    folder: Path
    patch: pytest.MonkeyPatch

    def run(self, killed_at: str | None = None, full: bool = False) -> None:
        """One night, to its end or to its death there; what it holds in memory is gone with it."""
        place = self.folder / "failpoints" / (killed_at or "")
        if not killed_at:
            nights.night(DAY, list(Step), full)
            return
        place.parent.mkdir(exist_ok=True)
        place.touch()
        with pytest.raises(Killed):
            nights.night(DAY, list(Step))
        assert place.with_name(f"{killed_at}.reached").exists()
        place.unlink()

    def limit(self, threshold: Decimal | None) -> None:
        """By which share of the truth the day may be corrected before a person is asked."""
        trust = {"order_totals": threshold} if threshold is not None else {}
        self.patch.setattr(settle, "settings", lambda: SimpleNamespace(approval_threshold=trust, approval_min_rows=1))

    def rows(self, table: str) -> list[str]:
        """A table's rows without their stamps."""
        found = self.table(table).to_pylist()
        return sorted(repr({name: value for name, value in row.items() if name not in STAMPS}) for row in found)

    def table(self, name: str) -> pa.Table:
        """A table."""
        return DeltaTable(str(self.folder / name)).to_pyarrow_table()

    def version(self, name: str) -> int:
        """How often a table was written."""
        return DeltaTable(str(self.folder / name)).version()


@pytest.fixture(scope="module", autouse=True)
def of_few_views() -> Iterator[None]:
    """No point of a night is a view's own."""
    with only_views(*VIEWS):
        yield


@pytest.fixture(scope="module")
def filled(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Any]:
    """A folder with a day in the log and in the stream's tables; and the log's bounds."""
    folder = tmp_path_factory.mktemp("filled")
    log = write_log(shop(DAY, 300, seed=2, faults=FAULTS), folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tables, "settings", lambda: SimpleNamespace(lake=f"file:{folder}"))
        patch.setattr(failpoints, "settings", lambda: SimpleNamespace(home=folder))
        fill(spark, DAY, log, records(spark, folder))
    return folder, log


@pytest.fixture
def lakes(
    spark: SparkSession, filled: tuple[Path, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> tuple[Nights, Nights]:
    """Two copies of it; `log_now`, Kafka, the lease and the topic are not there."""

    def dies(seconds: float) -> None:
        raise Killed

    folder, log = filled
    for module in (check, reconcile):
        monkeypatch.setattr(module, "settings", lambda: SimpleNamespace(home=tmp_path))
    monkeypatch.setattr(nights, "session", lambda: spark)
    monkeypatch.setattr(SparkSession, "stop", lambda own: None)
    monkeypatch.setattr(nights, "lease", nullcontext)
    monkeypatch.setattr(nights, "create_tables", lambda own: None)
    monkeypatch.setattr(nights, "refuse_without_stream", lambda: None)
    monkeypatch.setattr(nights, "publish_corrections", lambda own: 0)
    monkeypatch.setattr(nights, "log_now", lambda: log)
    monkeypatch.setattr(topic_settings, "look", lambda: None)
    monkeypatch.setattr(cut_off, "others", lambda last, log: [])
    monkeypatch.setattr(archive, "_read", lambda own, start, end: between(records(own, folder), start, end))
    monkeypatch.setattr(failpoints, "time", SimpleNamespace(sleep=dies))
    monkeypatch.setattr(failed_nights, "settings", lambda: Settings(home=tmp_path))
    copies = [Nights(Path(shutil.copytree(folder, tmp_path / name)), monkeypatch) for name in ("killed", "undisturbed")]
    return copies[0], copies[1]


def between(found: DataFrame, start: Ends, end: Ends) -> DataFrame:
    """What Kafka would give of the log."""
    own = F.lit(False)
    for (topic, partition), last in end.items():
        here = (F.col("topic") == topic) & (F.col("partition") == partition)
        own = own | (here & (F.col("offset") >= start[topic, partition]) & (F.col("offset") < last))
    return archive.with_envelope(found.where(own))


def use(lake: Nights) -> Nights:
    """From now on it is the lake of all nights."""
    lake.patch.setattr(tables, "settings", lambda: SimpleNamespace(lake=f"file:{lake.folder}"))
    lake.patch.setattr(failpoints, "settings", lambda: SimpleNamespace(home=lake.folder))
    return lake


def test_a_night_killed_at_any_point_is_finished_by_the_next(lakes: tuple[Nights, Nights]) -> None:
    killed, undisturbed = lakes
    use(killed).limit(None)
    for place in (*FIRST, *COMPARED):
        killed.run(place)
        assert killed.rows("reconciliation/settlements") == [], place
    killed.limit(Decimal(0))
    killed.run(ASKING)
    assert killed.rows("reconciliation/decisions") == []
    with pytest.raises(PermanentFailure, match="more than its approval threshold"):
        killed.run()
    assert len(killed.rows("reconciliation/decisions")) == 1
    assert killed.rows("reconciliation/settlements") == []
    assert [one.id for one in of_source(failed_nights.settings(), failed_nights.NIGHT)] == [f"night.approval/{DAY}"]
    killed.limit(None)
    for place in SETTLING:
        killed.run(place)
        assert len(killed.rows("reconciliation/settlements")) == (place == SETTLING[1])
    killed.run()
    assert of_source(failed_nights.settings(), failed_nights.NIGHT) == []
    found = {name: killed.rows(name) for name in TABLES}

    use(undisturbed).limit(None)
    # That it says what it does changes nothing of it.
    with told_to(undisturbed.folder) as s:
        undisturbed.run()
    runs = {row["run"] for row in undisturbed.table("truth/events").to_pylist()}
    holds(events(s), runs, VIEWS)
    assert found["reconciliation/corrections"]
    for name in TABLES:
        assert found[name] == undisturbed.rows(name), name


def test_a_day_done_again_in_part_is_as_done_again_whole(
    lakes: tuple[Nights, Nights], filled: tuple[Path, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    part, whole = lakes
    log = filled[1]
    earlier = {at: end // 2 if at[0] == "payments" else end for at, end in log.end.items()}
    monkeypatch.setattr(nights, "log_now", lambda: replace(log, end=earlier))
    for lake in lakes:
        use(lake).limit(None)
        lake.run()
    before = {name: part.version(name) for name in ("truth/order_totals", "truth/order_payments")}
    monkeypatch.setattr(nights, "log_now", lambda: log)
    use(part)
    for place in ("truth.after-events", *COMPARED, SETTLING[0]):
        part.run(place)
    part.run()
    assert part.version("truth/order_totals") == before["truth/order_totals"], "no payment changes it"
    assert part.version("truth/order_payments") > before["truth/order_payments"]
    use(whole).run(full=True)
    assert whole.version("truth/order_totals") > before["truth/order_totals"]
    for name in TABLES:
        assert part.rows(name) == whole.rows(name), name
    assert {row["revision"] for row in part.table("reconciliation/settlements").to_pylist()} == {2}
    assert any(row["revision"] == 2 for row in part.table("reconciliation/corrections").to_pylist())


def test_these_are_all_points_of_a_night() -> None:
    source = "".join(file.read_text() for file in (ROOT / "batch").rglob("*.py"))
    named = set(re.findall(r'\bpoint\(f?"([^"]+)"\)', source))
    assert named == {*FIRST, "reconcile.after-{table.name}", ASKING, *SETTLING, *PUBLISHING}
