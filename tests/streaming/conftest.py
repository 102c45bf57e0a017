"""Rules and views are compiled here, as the night has them; elsewhere in tests, and in the stream, they are interpreted."""

from collections.abc import Iterator

import pytest
from pyspark.sql import SparkSession

from infra.spark_conf import INTERPRETED

COMPILED = {"spark.sql.codegen.wholeStage": "true", "spark.sql.codegen.factoryMode": "FALLBACK"}


@pytest.fixture(scope="package", autouse=True)
def compiled(spark: SparkSession) -> Iterator[None]:
    """For all tests of this folder."""
    for name, value in COMPILED.items():
        spark.conf.set(name, value)
    yield
    for name, value in INTERPRETED.items():
        spark.conf.set(name, value)
