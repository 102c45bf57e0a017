"""Tables of the lake: made once, and widened when their definition has grown, also inside a struct."""

from dataclasses import replace

import pytest
from pyspark.sql import SparkSession
from pyspark.sql.types import IntegerType, StringType, StructField, StructType

from infra.lake import spark_tables
from infra.lake.tables import Table

pytestmark = pytest.mark.slow

ORDER = StructType([StructField("order_id", StringType())])
NARROW = Table("silver", "lake_test", StructType([StructField("id", StringType()), StructField("orders", ORDER)]))


@pytest.mark.usefixtures("local_lake")
def test_a_wider_definition_adds_its_columns_and_keeps_the_rows(spark: SparkSession) -> None:
    spark_tables.create(spark, NARROW)
    spark.createDataFrame([("a", ("1",))], NARROW.schema).write.format("delta").mode("append").save(NARROW.path)
    order = StructType([*ORDER, StructField("coupon", StringType())])
    clicks = StructType([StructField("page", StringType())])
    wide = StructType([NARROW.schema["id"], StructField("orders", order), StructField("clicks", clicks)])
    spark_tables.create(spark, replace(NARROW, schema=wide))
    found = spark_tables.read(spark, NARROW)
    assert found.schema.simpleString() == wide.simpleString()
    row = found.collect()[0]
    assert (row["orders"]["order_id"], row["orders"]["coupon"], row["clicks"]) == ("1", None, None)


@pytest.mark.usefixtures("local_lake")
def test_the_same_definition_commits_nothing(spark: SparkSession) -> None:
    table = replace(NARROW, name="lake_test_same")
    spark_tables.create(spark, table)
    before = spark_tables.version(spark, table)
    spark_tables.create(spark, table)
    assert spark_tables.version(spark, table) == before


@pytest.mark.usefixtures("local_lake")
def test_another_type_is_refused(spark: SparkSession) -> None:
    table = replace(NARROW, name="lake_test_type")
    spark_tables.create(spark, table)
    other = StructType([StructField("id", IntegerType()), StructField("orders", ORDER), StructField("x", ORDER)])
    with pytest.raises(Exception, match=r"DELTA_FAILED_TO_MERGE_FIELDS|DELTA_MERGE_INCOMPATIBLE_DATATYPE"):
        spark_tables.create(spark, replace(table, schema=other))
