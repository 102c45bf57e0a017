"""Who may do what with SQL: each kind of statement, who may run it, and statements that a test tries as reader and as writer.

Data flow: RIGHTS -> tests on the running gateway; the table in infra/README.md
Run: pytest tests/infra/test_rights.py

What is allowed is in infra/sql/java/daybreak/sql: a part of a plan that is not named there is refused, whatever SQL gets next.
"""

from dataclasses import dataclass

from infra.marked_page import made_anew
from infra.sql.users import Role

MARKERS = "<!-- who may do what: made by make catalog -->", "<!-- end of who may do what -->"
ALL, WRITER = tuple(Role), (Role.WRITER,)
SCRATCH = "gold.rights_tried"
"""A table that a test makes and removes."""


@dataclass(frozen=True)
class Right:
    """A kind of statement, who may run it, and examples in the order in which they can be run; `{lake}` is the lake's root."""

    what: str
    may: tuple[Role, ...]
    tries: tuple[str, ...]


RIGHTS = (
    Right(
        "read tables and views of the lake",
        ALL,
        (
            "SELECT count(*) FROM silver.events",
            "WITH a AS (SELECT topic FROM silver.events) SELECT * FROM a WHERE topic IN (SELECT max(topic) FROM silver.events)",
            "SELECT * FROM silver.events VERSION AS OF 0 LIMIT 1",
            "SELECT topic, explode(array(1, 2)), row_number() OVER (ORDER BY topic) FROM silver.events LIMIT 1",
            "VALUES (1), (2)",
        ),
    ),
    Right(
        "look: SHOW, DESCRIBE, EXPLAIN, USE",
        ALL,
        (
            "SHOW TABLES IN silver",
            "DESCRIBE EXTENDED silver.events",
            "DESCRIBE HISTORY silver.events",
            "SHOW TBLPROPERTIES silver.events",
            "EXPLAIN SELECT count(*) FROM silver.events",
            "USE silver",
        ),
    ),
    Right(
        "build gold and staging: tables at their place, views",
        WRITER,
        (
            f"CREATE OR REPLACE TABLE {SCRATCH} USING delta LOCATION '{{lake}}/gold/rights_tried' AS SELECT 1 AS a",
            f"INSERT INTO {SCRATCH} SELECT 2",
            f"INSERT INTO {SCRATCH} REPLACE WHERE a = 2 SELECT 2",
            f"DELETE FROM {SCRATCH} WHERE a = 2",
            f"ALTER TABLE {SCRATCH} ALTER COLUMN a COMMENT 'a number'",
            f"CREATE OR REPLACE VIEW staging.rights_tried AS SELECT * FROM {SCRATCH}",
            "CREATE OR REPLACE TEMPORARY VIEW rights_tried AS SELECT 1",
            "DROP VIEW staging.rights_tried",
            "SET spark.sql.ansi.enabled = true",
        ),
    ),
    Right(
        "register a table of the lake under its own name",
        WRITER,
        (
            "CREATE DATABASE IF NOT EXISTS silver",
            "CREATE TABLE IF NOT EXISTS silver.events USING DELTA LOCATION '{lake}/silver/events'",
        ),
    ),
    Right(
        "change a table of stream or night, or make one elsewhere",
        (),
        (
            "INSERT INTO silver.events SELECT * FROM silver.events",
            "DELETE FROM silver.events",
            "UPDATE silver.events SET topic = 'x'",
            "MERGE INTO silver.events a USING silver.events b ON a.event_id = b.event_id WHEN MATCHED THEN DELETE",
            "TRUNCATE TABLE silver.events",
            "ALTER TABLE silver.events SET TBLPROPERTIES ('a' = 'b')",
            "ALTER TABLE silver.events SET LOCATION '{lake}/bronze/events'",
            "EXPLAIN DELETE FROM silver.events",
            "VACUUM silver.events",
            "OPTIMIZE silver.events",
            "RESTORE TABLE silver.events TO VERSION AS OF 0",
            "CREATE TABLE silver.rights_tried USING delta LOCATION '{lake}/silver/events'",
            "CREATE TABLE gold.rights_tried USING delta LOCATION 'file:///tmp/rights_tried' AS SELECT 1 AS a",
            "CREATE TABLE gold.rights_tried (a STRING) USING text LOCATION '{lake}/gold/rights_tried'",
            "CREATE VIEW silver.rights_tried AS SELECT 1 AS a",
            "CREATE DATABASE rights_tried",
            "DROP DATABASE silver CASCADE",
        ),
    ),
    Right(
        "read or write files",
        (),
        (
            "SELECT * FROM text.`file:///etc/hostname`",
            "SELECT (SELECT max(value) FROM text.`/etc/hostname`)",
            "SELECT * FROM delta.`{lake}/silver/events`",
            "INSERT INTO delta.`{lake}/silver/events` SELECT * FROM silver.events",
            "DESCRIBE DETAIL delta.`{lake}/silver/events`",
            "CREATE TEMPORARY VIEW rights_tried USING csv OPTIONS (path '/etc/hostname')",
            "SELECT * FROM table_changes_by_path('{lake}/silver/events', 0)",
            "SELECT from_xml('<a/>', 'b STRING', map('rowValidationXSDPath', '/etc/hostname'))",
            "INSERT OVERWRITE DIRECTORY '/tmp/rights_tried' USING csv SELECT 1",
            "LOAD DATA LOCAL INPATH '/etc/hostname' INTO TABLE silver.events",
        ),
    ),
    Right(
        "run a program, or code of one's own",
        (),
        (
            "SELECT TRANSFORM (id) USING 'id -un' AS (who) FROM range(1)",
            "WITH a AS (SELECT TRANSFORM (id) USING 'id -un' AS (who) FROM range(1)) SELECT * FROM a",
            "SELECT reflect('java.lang.System', 'getProperty', 'user.name')",
            "SELECT 1 WHERE EXISTS (SELECT java_method('java.lang.System', 'getProperty', 'user.name'))",
            "SELECT try_reflect('java.lang.System', 'getProperty', 'user.name')",
            "EXECUTE IMMEDIATE 'SELECT reflect(''java.lang.System'', ''getProperty'', ''user.name'')'",
            "ADD JAR /tmp/rights_tried.jar",
            "ADD FILE /etc/hostname",
            "CREATE TEMPORARY FUNCTION rights_tried AS 'org.apache.hadoop.hive.ql.udf.UDFMd5'",
        ),
    ),
    Right(
        "change or see settings (but dbt's), or keep memory",
        (),
        (
            "SET spark.sql.runSQLOnFiles = true",
            "SET spark.sql.catalog.mine = org.apache.spark.sql.execution.datasources.v2.jdbc.JDBCTableCatalog",
            "SET",
            "RESET",
            "CACHE TABLE silver.events",
            "CLEAR CACHE",
        ),
    ),
)


def table() -> str:
    """One line per kind, with an example."""
    lines = [f"| to | {' | '.join(Role)} | tried with, among others |", f"|---|{'---|' * len(Role)}---|"]
    for one in RIGHTS:
        words = ["yes" if role in one.may else "no" for role in Role]
        lines.append(f"| {one.what} | {' | '.join(words)} | {', '.join(_shown(sql) for sql in one.tries[:3])} |")
    return "\n".join(lines)


def _shown(sql: str) -> str:
    """As code, where the statement itself may have backticks."""
    return f"`` {sql} ``" if "`" in sql else f"`{sql}`"


def page(text: str) -> str:
    """The page with a new table. Raises ValueError where the markers are missing."""
    return made_anew(text, MARKERS, table())
