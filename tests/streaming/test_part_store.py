"""The store of parts, as a cluster sees it: which executor a task is sent to."""

from pathlib import Path
from typing import Any, cast

import pytest
from fewer import only_views
from flat import arrow
from pyspark.sql import SparkSession

from streaming.state.layout import Leaf
from streaming.update_views import Keeping

pytestmark = pytest.mark.slow
SOURCE = "daybreak.state.Source"


def source_of(rdd: Any) -> Any:
    """The store's RDD among those that an RDD is made of."""
    while rdd.getClass().getName() != SOURCE:
        rdd = rdd.dependencies().apply(0).rdd()
    return rdd


def test_a_task_goes_to_the_executor_that_has_its_store_open(spark: SparkSession, tmp_path: Path) -> None:
    with only_views("order_payments"):
        keeping = Keeping(spark, str(tmp_path))
        (plan,) = keeping._plans
        told = cast(Any, plan.store.frames[Leaf("told")])
        source = source_of(told._jdf.queryExecution().toRdd())
        part = source.partitions()[0]
        assert source.preferredLocations(part).mkString(" ") == ""
        keeping.update(arrow([]), None, None)
        executor = cast(Any, spark.sparkContext._jvm).org.apache.spark.SparkEnv.get().executorId()
        assert source.preferredLocations(part).mkString(" ").endswith(f"_{executor}")
