"""What a session asks its JVM for: no more than it needs, and all of that is there."""

from collections import Counter
from typing import Any

import pytest
from py4j.java_gateway import JavaClass, JVMView
from pyspark.sql import SparkSession
from pyspark.sql import functions as F


def test_columns_look_up_no_class_and_note_no_line(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: Counter[str] = Counter()
    look_up = JVMView.__getattr__

    def counted(jvm: JVMView, name: str) -> object:
        asked[name] += 1
        return look_up(jvm, name)

    monkeypatch.setattr(JVMView, "__getattr__", counted)
    rows = spark.range(3).select(F.transform(F.array("id", F.lit(1)), lambda one: one + 1).alias("more"))
    assert [row["more"] for row in rows.groupBy("more").count().sort("more").collect()] == [[1, 2], [2, 2], [3, 2]]
    assert {name for name in asked if "." not in name} == set()
    assert not [name for name in asked if name.endswith("PySparkCurrentOrigin")]


def test_a_functions_name_is_looked_up_once(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: Counter[str] = Counter()
    for kind in (JVMView, JavaClass):
        look_up = kind.__getattr__

        def counted(of: object, name: str, look_up: Any = look_up) -> object:
            asked[name] += 1
            return look_up(of, name)

        monkeypatch.setattr(kind, "__getattr__", counted)
    for number in range(10):
        F.when(F.col("a") == number, F.upper(F.lit("b"))).otherwise(~F.col("c"))
    assert {name for name, times in asked.items() if times > 1} == set()


def test_hive_finds_every_class_that_its_registry_names(spark: SparkSession) -> None:
    jvm = spark.sparkContext._jvm
    assert jvm
    # The gateway loads it at the end of a session; Spark leaves a jar out that it needs.
    assert jvm.java.lang.Class.forName("org.apache.hadoop.hive.ql.exec.FunctionRegistry")
