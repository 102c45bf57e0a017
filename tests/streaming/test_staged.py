"""Records that tasks put aside and write are, table by table, those that the driver writes: each with its own outcome."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from corpus import Record, encoded, neighbours, order, poison
from in_force import in_force
from pyspark.sql import DataFrame, SparkSession
from twins import NOW_MS

from infra.lake import arrow_tables, spark_tables
from streaming.deduplication.event_ids import nothing_known
from streaming.micro_batch import outcomes as rows_of
from streaming.micro_batch.in_driver import InDriver
from streaming.micro_batch.in_tasks import InTasks
from streaming.micro_batch.rate import SIZE, sized
from streaming.reasons import Outcome
from streaming.tables.bronze import BRONZE, RECORD
from streaming.tables.progress import INGEST, MicroBatch
from streaming.tables.silver import QUARANTINE, SILVER
from streaming.validation.validate import validate

pytestmark = pytest.mark.slow
ARRIVAL = datetime.fromtimestamp(NOW_MS / 1000, UTC)


def validated(spark: SparkSession) -> DataFrame:
    """Records of every sort in two tasks, some of them twice."""
    twice = [order("twice", NOW_MS), order("twice", NOW_MS, customer_id="c-99")]
    every = [*poison(NOW_MS), *neighbours(NOW_MS)]
    every += [Record("", "orders", one["order_id"].encode(), encoded(one)) for one in twice]
    found = [
        ("orders", place % 3, place, ARRIVAL + timedelta(milliseconds=place % 7), one.key, one.value, None)
        for place, one in enumerate([*every, *every[::5]])
    ]
    return validate(sized(spark.createDataFrame(found, RECORD).repartition(2, "offset")))


def written(rows: InDriver | InTasks, records: DataFrame, batch: MicroBatch) -> tuple[int, list[Any], set[str]]:
    """Lets the rows be written; returns late ones, topics and reasons of quarantine, and the outcomes that there were."""
    found = rows.read(records, batch)
    arrived = rows_of.valid(found)
    outcome = rows_of.outcomes(found, arrived, nothing_known(arrived))
    late = rows.decided(outcome, int(pc.max(arrived.times_ms).as_py()), batch)
    rows.bronze(batch)
    rows.silver(batch)
    rejected = rows.quarantine(batch).select(["topic", "reasons"]).to_pylist()
    return late, sorted(rejected, key=repr), set(outcome.to_pylist())


def test_each_record_gets_its_own_outcome(spark: SparkSession, local_lake: Path) -> None:
    for table in (BRONZE, SILVER, QUARANTINE):
        spark_tables.create(spark, table)
    definitions = in_force(spark)
    rate: Any = SimpleNamespace(is_begun=bool, begin=lambda *_: None, check=lambda *_: None)
    rate.read = lambda frame, _: frame.toArrow().drop_columns([SIZE])
    checkpoints: Any = SimpleNamespace(drop=lambda _: None, of=lambda name: str(local_lake / name))
    ways = {
        "driver": InDriver(rate, {}, definitions),
        "tasks": InTasks(spark, checkpoints, rate, {}, definitions),
    }
    records = validated(spark)
    said = {
        name: written(own, records, MicroBatch(INGEST, name, 0, ARRIVAL, definitions)) for name, own in ways.items()
    }
    assert said["tasks"] == said["driver"]
    assert said["driver"][0] > 0
    assert said["driver"][2] == {one.value for one in Outcome}
    for table in (BRONZE, SILVER, QUARANTINE):
        both = arrow_tables.read(table).sort_by([("partition", "ascending"), ("offset", "ascending")])
        driver, tasks = (
            cast(pa.Table, both.filter(pc.equal(both["generation"], name))).drop_columns(["generation"])
            for name in ways
        )
        assert driver.num_rows > 1
        assert tasks.to_pylist() == driver.to_pylist(), table.id
