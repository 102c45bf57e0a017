"""What tasks do with rows is what the driver does with them: the same histories give the same views, from files."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from micro_batches import NOON, Run, arrow, said_and_expected
from pyspark.sql import SparkSession
from test_view_state import histories

from infra.lake import spark_tables, tables
from infra.lake.task_files import append_files_once, target, write
from streaming.positions.watermark import arrow_time
from streaming.state.in_tasks import InTasks
from streaming.state.packed import packed, unpacked
from streaming.state.store import micros_of
from streaming.state.stores import PARTS
from streaming.state.update_views import Keeping
from streaming.tables.silver import SILVER
from streaming.tables.speed import SAID, speed_table
from streaming.views import VIEWS
from streaming.views.view import View

pytestmark = pytest.mark.slow
STAMPED = {one.name for one in SAID} - {"is_final", "is_removed"}


class RunInTasks(Run):
    """The same stream, whose rows go to files of silver and speed."""

    def __init__(self, spark: SparkSession, folder: Path) -> None:
        self.folder, self.starts, self.events = folder, 0, 0
        self.speed = {name: speed_table(view) for name, view in VIEWS.items()}
        for table in (SILVER, *self.speed.values()):
            spark_tables.create(spark, table)
        super().__init__(spark)

    def begun(self) -> Keeping:
        self.starts += 1
        return cast(Any, InTasks(self.spark, str(self.folder / f"state-{self.starts}"), self.speed))

    def update(self, new: pa.Table, watermark: datetime | None, more_comes: bool) -> Mapping[str, pa.Table]:
        events = self.counted[self.events :]
        self.events = len(self.counted)
        rows = arrow([{**one, "day": one["event_time"].date(), "schema_version": 1} for one in events])
        files = [one.path for one in write(rows, target(SILVER))]
        views = cast(InTasks, self.keeping)
        stamp = {"batch_id": self.number, "generation": "g", "as_of": cast(int, micros_of(arrow_time(NOON)))}
        times = arrow_time(watermark), arrow_time(self.next_watermark)
        found, _ = views.update(files, len(events), *times, more_comes, stamp, dict.fromkeys(VIEWS, "1"))
        said = {}
        for name, some in found.items():
            own = target(self.speed[name]).folder.files
            rows = pa.concat_tables([pq.read_table(own.open_input_file(one.path)) for one in some])
            assert rows.num_rows == sum(one.rows for one in some)
            said[name] = rows.drop_columns([*STAMPED])
            append_files_once(some, self.speed[name], "test", self.number)
        return said


@pytest.fixture(scope="module")
def run(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Run]:
    folder = tmp_path_factory.mktemp("tasks")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tables, "settings", lambda: SimpleNamespace(lake=f"file:{folder}/lake"))
        own = RunInTasks(spark, folder)
        for place, batch in enumerate(histories(132, 4)):
            own.batch(batch)
            if place % 3 == 2:
                own.restart()
        yield own


@pytest.mark.parametrize("view", VIEWS.values(), ids=lambda view: view.name)
def test_what_tasks_wrote_last_is_the_view_of_all_events(run: Run, view: View) -> None:
    found, expected = said_and_expected(run, view)
    assert len(found) > 2
    assert found == expected


def test_what_is_kept_is_known(run: Run) -> None:
    held = run.keeping.held()
    assert {PARTS, "order_totals"} <= held.keys()
    assert held[PARTS][0] > 0


def test_tables_are_packed_as_they_are() -> None:
    both = {"a": pa.table({"n": [1, None]}), "b": pa.table({"s": pa.array([], pa.string())})}
    assert unpacked(packed(both)) == both
