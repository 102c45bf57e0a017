"""The project of sensors under the platform's own tests: its tables, its views in both layers, its dbt project.

Data flow: DAYBREAK_TESTED_PROJECT=tests/sensors -> CONTRACTS, VIEWS -> random histories -> stream, night, DuckDB, dbt
Run: pytest tests/streaming/test_second_project.py
"""

import json
import os
import random
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pytest
from micro_batches import NOON, Run, said_and_expected
from micro_batches import frame as as_read
from pyspark.sql import SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import StringType, StructField, StructType

from batch.days.day import Day
from batch.truth.recompute import view_day
from batch.truth.versions import VERSION, view_day_by_version
from infra.lake.rows import frame
from infra.settings import ROOT, Settings
from infra.sql.gold import dbt_environment
from streaming.contracts import CONTRACTS
from streaming.state.shared_plan import answered
from streaming.tables.silver import EVENT
from streaming.versions.definitions import definitions
from streaming.views import CHANGELOGS, VIEWS
from streaming.views.as_of import KNOWN_AT
from streaming.views.view import View

DAY = Day(date(2026, 1, 31))
CELSIUS = (-3.25, 19.999, 21.5, 30.0, 30.001, 44.4)
each_view = pytest.mark.parametrize("view", VIEWS.values(), ids=VIEWS.keys())


def event(name: str, at: datetime, chance: random.Random) -> dict[str, Any]:
    """A reading, or a change of a sensor."""
    own: dict[str, Any] = {"sensor_id": f"s-{chance.randint(1, 3)}"}
    if chance.random() < 0.7:
        topic, kind = "readings", "reading_taken"
        own |= {"celsius": chance.choice(CELSIUS), "battery": chance.choice((None, 5))}
    elif chance.random() < 0.7:
        topic, kind = "site.sensors", "sensor_hung"
        own |= {"room": chance.choice(("attic", "cellar"))}
    else:
        topic, kind = "site.sensors", "sensor_taken_down"
    column = CONTRACTS[topic].column
    return {"topic": topic, "event_id": name, "event_type": kind, "event_time": at, column: own}


def history(seed: int) -> Iterator[list[dict[str, Any]]]:
    """Micro-batches over midnight, shuffled, some events late."""
    chance, at, number = random.Random(seed), NOON, 0
    for _ in range(6):
        batch = []
        for _ in range(chance.choice((1, 8, 25))):
            number += 1
            at += timedelta(seconds=chance.choice((1, 20, 90, 400)))
            batch.append(event(f"{seed}-{number}", at - timedelta(seconds=chance.choice((0, 0, 300, 2000))), chance))
        chance.shuffle(batch)
        yield batch


@pytest.fixture(scope="module")
def run(spark: SparkSession) -> Run:
    own = Run(spark)
    for place, batch in enumerate(history(7)):
        own.batch(batch)
        if place == 3:
            own.restart()
    return own


def test_its_topics_and_views_are_in_force_and_no_others() -> None:
    assert [*CONTRACTS] == ["readings", "site.sensors"]
    assert [*VIEWS] == ["sensor_averages", "hot_readings"]
    assert CHANGELOGS == ("site.sensors",)


def test_each_definition_has_a_version(spark: SparkSession) -> None:
    assert {*definitions(spark)} == {"events", "events/readings", "events/site.sensors", *VIEWS}


@each_view
def test_what_the_stream_said_last_is_the_view_of_all_events(run: Run, view: View) -> None:
    found, expected = said_and_expected(run, view)
    assert len(found) > 5
    assert found == expected


@each_view
def test_the_night_has_in_each_version_the_rows_of_it_alone(spark: SparkSession, view: View) -> None:
    dice, versions = random.Random(1), ("0", "late")
    rows = [
        {**one, VERSION: version}
        for batch in history(8)
        for one in batch
        for version in versions
        if dice.random() < 0.7
    ]
    found = frame(spark, rows, StructType([*EVENT.fields, StructField(VERSION, StringType())])).persist()
    together = [row.asDict() for row in view_day_by_version(view, view.law, found, DAY).collect()]
    for version in versions:
        alone = view_day(view, found.where(F.col(VERSION) == version).drop(VERSION), DAY).collect()
        own = [{name: row[name] for name in row if name != VERSION} for row in together if row[VERSION] == version]
        assert alone
        assert in_order([row.asDict() for row in alone]) == in_order(own)
    found.unpersist()


def in_order(rows: list[dict[str, Any]]) -> list[str]:
    return sorted(repr(sorted(row.items())) for row in rows)


DUCK = {
    "sensor_averages": """
        SELECT sensor_id, time_bucket(INTERVAL 5 MINUTE, event_time) AS begins_at, begins_at + INTERVAL 5 MINUTE AS ends_at,
            count(*) AS readings, sum(round(celsius * 1000)::BIGINT)::BIGINT AS millidegrees,
            sum(round(celsius * 1000)::BIGINT)::DOUBLE / count(*) AS mean_millidegrees
        FROM readings GROUP BY sensor_id, begins_at""",
    "hot_readings": """
        SELECT event_id, sensor_id, event_time AS read_at, round(celsius * 1000)::BIGINT AS millidegrees,
            (SELECT last(room ORDER BY s.event_time, s.event_id) FROM sensors AS s
             WHERE s.sensor_id = r.sensor_id AND s.event_time <= r.event_time) AS room, 1::BIGINT AS hot
        FROM readings AS r WHERE celsius > 30""",
}
"""The views once more, by another engine."""


@each_view
def test_duckdb_finds_the_same_rows(spark: SparkSession, view: View) -> None:
    flat = [one for batch in history(9) for one in batch]
    with duckdb.connect() as own:
        for name, topic in (("readings", "readings"), ("sensors", "site.sensors")):
            rows = [one | one[CONTRACTS[topic].column] for one in flat if one["topic"] == topic]
            fields = ("event_id", "event_time", "sensor_id", *(("celsius",) if name == "readings" else ("room",)))
            columns = {one: [row.get(one) for row in rows] for one in fields}
            columns["event_time"] = [at.replace(tzinfo=None) for at in columns["event_time"]]
            own.register(f"{name}_found", pa.table(columns))
            own.execute(f"CREATE TABLE {name} AS FROM {name}_found")
        names = [one.name for one in view.columns]
        theirs = own.execute(f"SELECT {', '.join(names)} FROM ({DUCK[view.name]})").fetchall()
    every = as_read(spark, flat).withColumn(KNOWN_AT, F.col("event_time"))
    ours = answered(view, every).select(*names).collect()

    def plain(row: Any) -> tuple[Any, ...]:
        return tuple(one.astimezone(UTC).replace(tzinfo=None) if getattr(one, "tzinfo", None) else one for one in row)

    assert sorted(map(plain, theirs), key=repr) == sorted(map(plain, (row for row in ours)), key=repr)


def test_its_dbt_project_has_its_own_models_and_none_of_the_shops(tmp_path: Path) -> None:
    env = os.environ | {"DAYBREAK_HOME": str(tmp_path), "PYTHONPATH": str(ROOT)}
    before = subprocess.run(["git", "status", "--short"], cwd=ROOT, capture_output=True, text=True).stdout
    done = subprocess.run(
        [sys.executable, "-m", "batch.catalog"], cwd=ROOT, env=env, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    assert subprocess.run(["git", "status", "--short"], cwd=ROOT, capture_output=True, text=True).stdout == before
    own = Settings(home=tmp_path, gateway_port=1, project=os.environ["DAYBREAK_PROJECT"])
    with pytest.MonkeyPatch.context() as patch:
        for name, value in dbt_environment(own).items():
            patch.setenv(name, value)
        from dbt.cli.main import dbtRunner

        project = str(tmp_path / "dbt" / "project")
        assert dbtRunner().invoke(["--quiet", "parse", "--project-dir", project, "--profiles-dir", project]).success
    nodes = json.loads((tmp_path / "dbt" / "target" / "manifest.json").read_text())["nodes"].values()
    models = {node["name"] for node in nodes if node["resource_type"] == "model"}
    assert {f"fct_{name}" for name in VIEWS} < models
    assert {"stg_silver__readings", "stg_truth__site_sensors", "rpt_reconciliation", "rpt_builds"} < models
    assert not [name for name in models if "order" in name or "shop" in name or "click" in name]
