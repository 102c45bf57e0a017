"""The laptop's tuning is a profile: the user's own Spark settings win over it, and on a cluster it can be left out."""

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from infra.settings import Settings, load
from infra.spark_conf import FEW_ROWS
from streaming.micro_batch.query import gathered
from streaming.process import working_folder
from streaming.stream import spark_settings


def test_the_small_profile_is_what_a_laptop_gets() -> None:
    assert FEW_ROWS.items() <= spark_settings(load()).items()


def test_what_the_user_names_wins_over_the_profile(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DAYBREAK_SPARK_CONF", '{"spark.sql.shuffle.partitions": "64"}')
    assert spark_settings(load())["spark.sql.shuffle.partitions"] == "64"


def test_what_is_named_for_one_process_wins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DAYBREAK_SPARK_CONF", '{"spark.cores.max": "1", "spark.executor.memory": "1g"}')
    monkeypatch.setenv("DAYBREAK_STREAM_CONF", '{"spark.cores.max": "2"}')
    s = load()
    assert spark_settings(s)["spark.cores.max"] == "2"
    assert spark_settings(s)["spark.executor.memory"] == "1g"
    assert s.of_night == s.of_gateway == {"spark.cores.max": "1", "spark.executor.memory": "1g"}


def test_the_other_profile_is_sparks_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DAYBREAK_STREAM_PROFILE", "spark")
    assert not FEW_ROWS.keys() & spark_settings(load()).keys()


def test_many_partitions_are_few_tasks(spark: SparkSession) -> None:
    assert gathered(spark.range(0, 14, 1, 14)).rdd.getNumPartitions() == spark.sparkContext.defaultParallelism < 14


def test_what_a_killed_stream_left_on_disk_goes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROCKSDB_SHAREDLIB_DIR", "")
    left = working_folder.of(Settings(home=tmp_path)) / "blockmgr-1" / "state"
    left.mkdir(parents=True)
    working_folder.emptied(Settings(home=tmp_path))
    assert spark_settings(Settings(home=tmp_path))["spark.local.dir"] == str(left.parent.parent)
    assert list(left.parent.parent.iterdir()) == []
