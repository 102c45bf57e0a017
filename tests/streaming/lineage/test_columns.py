"""The columns that each column of a view comes from: of views that one can follow by hand, and what holds for all."""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import LongType, StringType, StructField, StructType

from infra.lineage.datasets import Place
from infra.settings import Settings
from streaming.contracts import CONTRACTS
from streaming.lineage import columns
from streaming.lineage.columns import of_view, of_views, placed
from streaming.lineage.expressions import Unread
from streaming.lineage.layers import in_events, of_events
from streaming.lineage.origins import MARK, Origins, origins
from streaming.lineage.plan import analyzed
from streaming.views import VIEWS
from streaming.views.view import View


@pytest.fixture(scope="module")
def found(spark: SparkSession) -> Mapping[str, Origins]:
    """Of each of the project's views."""
    return {name: of_view(spark, view) for name, view in VIEWS.items()}


def said(found: Origins, column: str = "") -> str:
    """The sources of a column, or of the rows: `topic.column:WAY ...`, in order."""
    own = found.columns[column] if column else found.rows
    return " ".join(sorted(f"{topic}.{name}:{way}" for topic, name, way in own))


@pytest.mark.parametrize("name", VIEWS)
def test_every_column_of_a_view_comes_from_columns_that_there_are(found: Mapping[str, Origins], name: str) -> None:
    view, own = VIEWS[name], found[name]
    assert [*own.columns] == view.schema.fieldNames()
    used = own.rows.union(*own.columns.values())
    for topic, column, _ in used:
        assert topic in view.inputs
        assert column in {"event_id", "event_type", "event_time", *CONTRACTS[topic].payload.fieldNames()}
    # None of the view's inputs is without a use.
    assert {topic for topic, *_ in used} == {*view.inputs}
    assert (view.inputs[0], "event_time") in {source[:2] for source in own.columns[view.time]}
    for key in view.key:
        assert own.columns[key], key


def test_a_joined_view_has_each_column_of_its_partner_apart(found: Mapping[str, Origins]) -> None:
    own = found["order_payments"]
    decides = "orders.event_time:CONDITIONAL payments.event_time:CONDITIONAL"
    # The join is a union by the order's id: each of both may have given it.
    assert said(own, "order_id") == "orders.order_id:IDENTITY payments.order_id:IDENTITY"
    assert said(own, "total_cents") == "orders.total_cents:IDENTITY"
    assert said(own, "ordered_at") == "orders.event_time:IDENTITY"
    # The first of several payments, if it came in time; all of its fields are in one struct.
    assert said(own, "payment_id") == f"{decides} payments.payment_id:AGGREGATION"
    assert "payments.amount_cents:AGGREGATION" in said(own, "amount_cents")
    assert "payment_id" not in said(own, "amount_cents")
    assert said(own, "orders") == ""
    assert "payments.event_type:FILTER" in said(own)
    assert "payments.order_id:WINDOW" in said(own)


def test_a_windowed_view_has_its_sum_and_its_window(found: Mapping[str, Origins]) -> None:
    own = found["orders_last_8_minutes"]
    assert said(own, "revenue_cents") == "orders.total_cents:AGGREGATION"
    assert said(own, "window_start") == "orders.event_time:CONDITIONAL orders.event_time:TRANSFORMATION"
    assert said(own, "orders") == ""
    assert said(own) == "orders.event_time:GROUP_BY orders.event_type:FILTER"


def test_a_view_of_changes_and_of_arrays_of_structs(found: Mapping[str, Origins]) -> None:
    own = found["clicks_with_customer"]
    assert said(own, "region") == "customers.event_type:CONDITIONAL customers.region:AGGREGATION"
    assert said(own, "product_id") == "clicks.product_id:IDENTITY"
    own = found["click_through"]
    assert said(own, "term") == "searches.query:TRANSFORMATION"
    assert "clicks.event_time:AGGREGATION" in said(own, "clicked_at")
    assert "clicks.product_id:AGGREGATION" not in said(own, "clicked_at"), "the other field of the same struct"
    assert "searches.product_ids:CONDITIONAL" in said(own, "clicked_at")


@pytest.fixture
def two(spark: SparkSession) -> tuple[DataFrame, DataFrame]:
    """Two empty topics, `l` and `r`, of a column `k` and a value."""

    def topic(name: str, value: str) -> DataFrame:
        kinds = {"k": StringType(), value: LongType()}
        own = [StructField(each, kind, True, {MARK: f"{name}/{each}"}) for each, kind in kinds.items()]
        return spark.createDataFrame([], StructType(own))

    return topic("l", "a"), topic("r", "b")


def test_nodes_that_the_shops_views_do_not_have(two: tuple[DataFrame, DataFrame]) -> None:
    left, right = two

    def of(frame: DataFrame) -> Origins:
        return origins(analyzed(frame))

    joined = of(left.join(right, "k").select(left["k"], "a", "b"))
    assert (said(joined, "b"), said(joined)) == ("r.b:IDENTITY", "l.k:JOIN r.k:JOIN")
    half = of(left.join(right, "k", "left_semi"))
    assert [*half.columns] == ["k", "a"]
    with_itself = of(left.alias("x").join(left.alias("y"), F.col("x.a") < F.col("y.a")).select(F.col("y.k").alias("z")))
    assert (said(with_itself, "z"), said(with_itself)) == ("l.k:IDENTITY", "l.a:JOIN")
    twice = of(left.union(left.select("k", (-F.col("a")).alias("a"))))
    assert said(twice, "a") == "l.a:IDENTITY l.a:TRANSFORMATION"
    assert said(of(left.orderBy("a").limit(3).dropDuplicates(["k"]))) == "l.a:SORT l.k:GROUP_BY"
    cube = of(left.cube("k").agg(F.max("a").alias("a")))
    assert (said(cube, "k"), said(cube, "a")) == ("l.k:IDENTITY", "l.a:AGGREGATION")
    opaque = of(left.mapInArrow(lambda batches: batches, "x bigint"))
    assert said(opaque, "x") == "l.a:TRANSFORMATION l.k:TRANSFORMATION"
    chosen = of(left.select(F.when(F.col("k") == "x", F.col("a")).otherwise(F.lit(0)).alias("x")))
    assert said(chosen, "x") == "l.a:IDENTITY l.k:CONDITIONAL"


def test_a_view_is_planned_once_per_version(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    s, own = Settings(home=tmp_path), [VIEWS["payment_failures"], VIEWS["order_totals"]]
    versions = {view.name: "v1" for view in own}
    unknown: list[str] = []
    first = of_views(spark, s, versions, unknown.append, own)
    planned: list[str] = []
    monkeypatch.setattr(columns, "of_view", lambda session, view: planned.append(view.name) or of_view(session, view))
    assert of_views(spark, s, versions, unknown.append, own) == first
    assert planned == []
    assert of_views(spark, s, versions | {"order_totals": "v2"}, unknown.append, own) == first
    assert planned == ["order_totals"]
    assert unknown == []
    assert len(json.loads((tmp_path / "lineage.json").read_text())) == 2


def test_a_layer_has_payloads_in_the_struct_of_their_topic() -> None:
    where = in_events(Place("s3://b", "truth/events"))
    assert where("orders", "total_cents")[1] == "orders.total_cents"
    assert where("orders", "event_time")[1] == "event_time"
    own = of_events(Settings(kafka_bootstrap="k:1"))
    (origin,) = own["orders.total_cents"]
    assert (origin.place, origin.column) == (Place("kafka://k:1", "orders"), "total_cents")
    placed_there = placed({"x": [["orders", "total_cents", "IDENTITY"]]}, where)
    assert [one.column for one in placed_there["x"]] == ["orders.total_cents"]


def test_a_view_whose_plan_is_not_understood_leaves_the_others(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def of_one(session: SparkSession, view: View) -> Origins:
        if view.name == "order_totals":
            raise Unread("a plan has the node Unheard")
        return Origins({}, frozenset())

    monkeypatch.setattr(columns, "of_view", of_one)
    unknown: list[str] = []
    found = of_views(spark, Settings(home=tmp_path), dict.fromkeys(VIEWS, "v1"), unknown.append)
    assert {*VIEWS} - {*found} == {"order_totals"}
    assert unknown == [
        "which columns those of order_totals come from is not known: Unread: a plan has the node Unheard"
    ]
