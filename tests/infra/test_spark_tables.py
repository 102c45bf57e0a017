"""Tables of the lake: made once, and widened when their definition has grown, also inside a struct."""

from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession
from pyspark.sql.types import DateType, IntegerType, StringType, StructField, StructType, TimestampType

from infra.failures import PermanentFailure
from infra.lake import arrow_tables, form, reader, set_back, spark_tables
from infra.lake.rows import arrow, frame
from infra.lake.tables import Table
from infra.lake.writes import append_once, replace_days
from infra.settings import Settings

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


FIRST, SECOND, THIRD = (date(2026, 1, number) for number in (29, 30, 31))
AT = datetime(2026, 1, 30, 23, 59, 59, 999999, tzinfo=UTC)
OF_DAYS = StructType(
    [
        StructField("day", DateType()),
        StructField("id", StringType()),
        StructField("at", TimestampType()),
        StructField("orders", ORDER),
    ]
)


def row(day: date, name: str) -> dict[str, Any]:
    return {"day": day, "id": name, "at": AT, "orders": {"order_id": name}}


@pytest.mark.usefixtures("local_lake")
@pytest.mark.parametrize("parts", [(), ("day",)], ids=["not partitioned", "by day"])
def test_a_day_has_the_rows_that_delta_gives(spark: SparkSession, parts: tuple[str, ...]) -> None:
    table = Table("silver", f"lake_test_days_{len(parts)}", OF_DAYS, partitioned_by=parts)
    spark_tables.create(spark, table)
    assert spark_tables.of_day(spark, table, FIRST).collect() == []
    # Files of both writers, of one day and of several; then one day again, with fewer rows.
    append_once(arrow([row(FIRST, "a"), row(SECOND, "b")], OF_DAYS), table, "w", 1)
    append_once(frame(spark, [row(SECOND, "c"), row(THIRD, "d")], OF_DAYS), table, "w", 2)
    replace_days(frame(spark, [row(THIRD, "e")], OF_DAYS), table, [THIRD])
    wider = StructType([*OF_DAYS, StructField("more", StringType())])
    spark_tables.create(spark, replace(table, schema=wider))
    append_once(arrow([row(SECOND, "f") | {"more": "x"}], wider), table, "w", 3)
    for day, names in ((FIRST, ["a"]), (SECOND, ["b", "c", "f"]), (THIRD, ["e"]), (date(2026, 2, 1), [])):
        found = spark_tables.of_day(spark, table, day)
        by_delta = spark_tables.read(spark, table).where(f"day = DATE'{day}'")
        assert found.schema == by_delta.schema
        assert sorted(found.collect(), key=str) == sorted(by_delta.collect(), key=str)
        assert sorted(one["id"] for one in found.collect()) == names


@pytest.mark.usefixtures("local_lake")
def test_a_day_reads_only_the_files_that_may_hold_it(spark: SparkSession) -> None:
    table = Table("silver", "lake_test_skipped", OF_DAYS)
    spark_tables.create(spark, table)
    for number, day in enumerate((FIRST, SECOND, THIRD)):
        append_once(arrow([row(day, "a")], OF_DAYS), table, "w", number)
    assert len(spark_tables.of_day(spark, table, SECOND).inputFiles()) == 1


@pytest.mark.usefixtures("local_lake")
def test_rows_that_a_deletion_vector_took_come_back(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """delta-rs's own restore leaves them deleted, and says that it has succeeded."""
    for module in (form, set_back):
        monkeypatch.setattr(module, "settings", lambda: Settings(home=tmp_path / "home"))
    table = replace(NARROW, name="lake_test_vectors")
    spark_tables.create(spark, table)
    append_once(arrow([{"id": "a"}, {"id": "b"}], table.schema), table, "stream", 1)
    where = f"delta.`{table.path}`"
    spark.sql(f"ALTER TABLE {where} SET TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')")
    spark.sql(f"DELETE FROM {where} WHERE id = 'a'")
    with pytest.raises(PermanentFailure, match="--with-rows"):
        set_back.set_back(table, lambda: spark)
    assert set_back.set_back(table, lambda: spark, with_rows=True)
    assert sorted(row["id"] for row in spark_tables.read(spark, table).collect()) == ["a", "b"]
    append_once(arrow([{"id": "c"}], table.schema), table, "stream", 2)
    assert reader.schema(arrow_tables.latest(table))["fields"][0]["name"] == "id"


@pytest.mark.usefixtures("local_lake")
def test_columns_mapped_by_name_are_refused_by_spark_too(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else an option's new topic got a column that Spark reads, and that is null for delta-rs, DuckDB and a restart."""
    monkeypatch.setattr(form, "settings", lambda: Settings(home=tmp_path / "home"))
    table = replace(NARROW, name="lake_test_mapped")
    spark_tables.create(spark, table)
    spark.sql(f"ALTER TABLE delta.`{table.path}` SET TBLPROPERTIES ('delta.columnMapping.mode' = 'name')")
    wider = replace(table, schema=StructType([*table.schema, StructField("clicks", ORDER)]))
    rows = spark.createDataFrame([("a", ("1",), ("2",))], wider.schema)
    for write in (
        lambda: spark_tables.create(spark, wider),
        lambda: append_once(rows, wider, "stream", 1),
        lambda: replace_days(rows, wider, [FIRST]),
    ):
        with pytest.raises(PermanentFailure, match=r"delta\.columnMapping\.mode=name"):
            write()
    assert spark_tables.read(spark, table).columns == table.schema.fieldNames()
