"""dbt compiles the project once; every test has a lake of its own."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from offline_gold import Compiled, Gold, compiled
from pyspark.sql import SparkSession

DELAY_SECONDS = 600


@pytest.fixture(scope="session")
def dbt_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The home in which dbt compiles, and leaves its artifacts."""
    return tmp_path_factory.mktemp("dbt")


@pytest.fixture(scope="session")
def nodes(dbt_home: Path) -> Sequence[Compiled]:
    """Every model and test, compiled."""
    return compiled(dbt_home, DELAY_SECONDS)


@pytest.fixture
def gold(spark: SparkSession, nodes: Sequence[Compiled]) -> Gold:
    """Gold over an empty lake."""
    return Gold(spark, nodes)
