"""A view of other topics: the same rows from a table's changes as from a topic's events."""

from datetime import UTC, datetime, timedelta

import pytest
from pyspark.sql import SparkSession

from streaming.shop.contracts.shop_db import TABLES
from streaming.views import VIEWS
from streaming.views.as_of import KNOWN_AT
from streaming.views.reading import reading

NOON = datetime(2026, 1, 31, 12, tzinfo=UTC)


@pytest.mark.parametrize("name", VIEWS)
def test_only_views_of_these_topics_change(name: str) -> None:
    view = VIEWS[name]
    found = reading(view, TABLES)
    touched = [topic for topic in view.inputs if topic in TABLES]
    assert (found is view) == (not touched)
    assert found.inputs == tuple(TABLES.get(topic, topic) for topic in view.inputs)
    assert set(found.changelogs) == {TABLES.get(topic, topic) for topic in view.changelogs}


def test_define_sees_the_table_as_the_topic(spark: SparkSession) -> None:
    view, instead = VIEWS["clicks_with_customer"], TABLES["customers"]
    at = "event_id string, event_type string, event_time timestamp"
    clicks = spark.createDataFrame(
        [("e1", "product_clicked", NOON, "s1", "c-1", "p-1")],
        f"{at}, session_id string, customer_id string, product_id string",
    )
    said = ("e0", "customer_registered", NOON - timedelta(hours=1), "c-1", "Ada", "north", NOON - timedelta(hours=1))
    customers = spark.createDataFrame(
        [said], f"{at}, customer_id string, name string, region string, {KNOWN_AT} timestamp"
    )
    (usual,) = view.rows({"clicks": clicks, "customers": customers}).collect()
    (other,) = reading(view, TABLES).rows({"clicks": clicks, instead: customers}).collect()
    assert usual == other
    assert other["region"] == "north"
