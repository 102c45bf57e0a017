"""An event that a topic's staging model has twice, or without its id, is found, by the model's name.

Data flow: events of two topics -> the test keys_of_staging
Run: pytest tests/dbt/test_keys_of_topics.py
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import pytest
from offline_gold import Compiled, Gold
from pyspark.sql import SparkSession
from rows_of_gold import DAY, NOON, at

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def built(spark: SparkSession, nodes: Sequence[Compiled]) -> Gold:
    """Gold over an empty lake, which every test here leaves empty."""
    gold = Gold(spark, nodes)
    gold.build()
    return gold


def event(topic: str, event_id: str | None, time: datetime = NOON) -> dict[str, Any]:
    return {"topic": topic, "event_id": event_id, "event_time": time, "day": DAY}


def found(gold: Gold, layer: str, *events: dict[str, Any]) -> set[str]:
    """The models that the test names; afterwards the layer is empty."""
    gold.put(f"{layer}.events", events)
    try:
        return gold.faults("keys_of_staging", "model")
    finally:
        gold.put(f"{layer}.events", [])


@pytest.mark.parametrize("layer", ["silver", "truth"])
def test_an_event_stands_once_in_its_topic(built: Gold, layer: str) -> None:
    assert found(built, layer, event("orders", "e"), event("payments", "e"), event("orders", "f")) == set()
    assert found(built, layer, event("orders", "e"), event("orders", "e")) == {f"stg_{layer}__orders"}
    assert found(built, layer, event("payments", None), event("orders", "e")) == {f"stg_{layer}__payments"}


def test_only_silver_may_have_an_id_at_two_times(built: Gold) -> None:
    twice = event("clicks", "e"), event("clicks", "e", at(60))
    assert found(built, "silver", *twice) == set()
    assert found(built, "truth", *twice) == {"stg_truth__clicks"}
