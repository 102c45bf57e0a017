"""dbt compiles the project once; every test has a lake of its own."""

from collections.abc import Sequence

import pytest
from offline_gold import Compiled, Gold, compiled
from pyspark.sql import SparkSession

DELAY_SECONDS = 600


@pytest.fixture(scope="session")
def nodes(tmp_path_factory: pytest.TempPathFactory) -> Sequence[Compiled]:
    """Every model and test, compiled."""
    return compiled(tmp_path_factory.mktemp("dbt"), DELAY_SECONDS)


@pytest.fixture
def gold(spark: SparkSession, nodes: Sequence[Compiled]) -> Gold:
    """Gold over an empty lake."""
    return Gold(spark, nodes)
