"""The store of parts and its plan: which executor of a cluster a task is sent to, and whose code is generated."""

from pathlib import Path
from typing import Any, cast

import pytest
from fewer import only_views
from flat import arrow
from pyspark.sql import SparkSession

from infra.settings import settings
from streaming.state import stores
from streaming.state.layout import Leaf
from streaming.state.prepared_plan import nodes
from streaming.state.shared_plan import SharedPlan
from streaming.state.update_views import Keeping

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


def generates(plan: SharedPlan) -> bool:
    frame = cast(Any, plan.plan._frame)
    return "WholeStageCodegenExec" in list(nodes(frame._jdf.queryExecution().executedPlan()))


@pytest.mark.parametrize(("chosen", "generated"), [({}, True), ({"spark.sql.codegen.wholeStage": "false"}, False)])
def test_behind_many_events_code_is_generated_unless_somebody_chose_otherwise(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, chosen: dict[str, str], generated: bool
) -> None:
    monkeypatch.setattr(type(settings()), "of_stream", property(lambda _: chosen))
    with only_views("order_payments"):
        keeping = Keeping(spark, str(tmp_path))
    (plan,) = keeping._plans
    # A start is answered sooner without.
    assert not generates(plan)
    monkeypatch.setattr(stores, "GENERATE_AFTER", 0)
    keeping.update(arrow([]), None, None)
    assert generates(plan) is generated


def test_the_same_code_is_compiled_once_for_all_micro_batches(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stores, "GENERATE_AFTER", 0)
    keeping, jvm = Keeping(spark, str(tmp_path)), cast(Any, spark.sparkContext._jvm)
    compiled = jvm.org.apache.spark.metrics.source.CodegenMetrics.METRIC_COMPILATION_TIME()
    keeping.update(arrow([]), None, None)
    before = compiled.getCount()
    keeping.update(arrow([]), None, None)
    # Spark's own cache has room for 100 classes, and these are hundreds.
    assert compiled.getCount() - before < 20 < before
