"""Who may do what with SQL, looked at by the gateway's own check in a local Spark, which runs no statement.

Data flow: RIGHTS, two users -> the check's refusals; a table of infra/README.md
Run: pytest tests/infra/test_rights.py
"""

from collections.abc import Iterator
from pathlib import Path

import pytest
from py4j.protocol import Py4JJavaError
from pyspark.sql import SparkSession

from infra.services.gateway import AUDIT_BYTES
from infra.settings_table import PAGE
from infra.sql import rights
from infra.sql.rights import RIGHTS
from infra.sql.users import Role

TABLES = {"silver.events": "'a' AS topic, 'e' AS event_id", rights.SCRATCH: "1 AS a"}


@pytest.fixture(scope="module")
def lake(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A lake of two tables and a view, known to the session, and the gateway's own settings in it."""
    folder = tmp_path_factory.mktemp("rights")
    lake = f"file:{folder}/lake"
    told = {"lake": lake, "audit": str(folder / "audit.jsonl"), "auditBytes": str(AUDIT_BYTES)}
    jvm = spark.sparkContext._jvm
    assert jvm
    for name, value in told.items():
        jvm.org.apache.spark.SparkEnv.get().conf().set(f"spark.daybreak.gateway.{name}", value)
    for schema in ("silver", "gold", "staging"):
        spark.sql(f"CREATE DATABASE IF NOT EXISTS {schema}")
    for name, columns in TABLES.items():
        place = f"{lake}/{name.replace('.', '/')}"
        spark.sql(f"CREATE TABLE {name} USING delta LOCATION '{place}' AS SELECT {columns}")
    # RESTORE to the version that is there is nothing to do, and no command.
    spark.sql("INSERT INTO silver.events VALUES ('a', 'f')")
    spark.sql("CREATE VIEW staging.rights_tried AS SELECT * FROM silver.events")
    yield lake
    for schema in ("silver", "gold", "staging"):
        spark.sql(f"DROP DATABASE {schema} CASCADE")


def refusal(spark: SparkSession, user: str, sql: str) -> str | None:
    """The check's sentence; None if the user may."""
    jvm = spark.sparkContext._jvm
    assert jvm
    try:
        jvm.daybreak.sql.Rights.check(spark._jsparkSession, user, sql)
    except Py4JJavaError as refused:
        return str(refused.java_exception.toString())
    return None


@pytest.mark.parametrize("right", RIGHTS, ids=lambda one: one.what)
def test_each_user_may_do_what_the_table_says(spark: SparkSession, lake: str, right: rights.Right) -> None:
    for role in Role:
        for sql in right.tries:
            why = refusal(spark, role, sql.format(lake=lake))
            assert (why is None) is (role in right.may), (role, sql, why)
            assert why is None or f" is refused, because {role} " in why, why


def test_who_has_not_said_who_he_is_may_read_at_most(spark: SparkSession, lake: str) -> None:
    assert refusal(spark, "", "SELECT * FROM silver.events") is None
    assert "nobody" in (refusal(spark, "", "DROP TABLE gold.rights_tried") or "")


def test_a_table_that_somebody_has_put_over_a_file_is_refused(spark: SparkSession, lake: str, tmp_path: Path) -> None:
    """In a catalogue from before there were rights."""
    (tmp_path / "secrets").write_text("a=b")
    spark.sql(f"CREATE TABLE gold.over_a_file (value STRING) USING text LOCATION '{tmp_path}'")
    spark.sql("CREATE VIEW staging.over_a_file AS SELECT * FROM gold.over_a_file")
    for name in ("gold.over_a_file", "staging.over_a_file"):
        assert "a table outside of the lake" in (refusal(spark, "reader", f"SELECT * FROM {name}") or "")


def test_the_page_has_the_table_of_today() -> None:
    assert rights.page(PAGE.read_text()) == PAGE.read_text(), "run make catalog"
