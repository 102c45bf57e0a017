"""dbt's models without a gateway: compiled by dbt itself, run by local Spark over rows made by hand.

Data flow: dbt compile -> SQL of every model and test -> Gold: rows of sources -> build -> rows of models, tests that fail
Run: pytest tests/dbt
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar
from unittest.mock import patch

import pytest
from pyspark.errors import AnalysisException
from pyspark.sql import SparkSession
from pyspark.sql.types import StructType

from batch.night.all_tables import night_tables
from infra.lake.rows import frame
from infra.lake.tables import Table
from infra.settings import Settings
from infra.sql.gold import INLINED, dbt_environment
from infra.sql.models import models
from streaming.all_tables import stream_tables


@dataclass(frozen=True)
class Compiled:
    """One model or test: its name, its SQL, and where a model is (`gold.fct_orders`) and how it is kept."""

    name: str
    sql: str
    relation: str | None = None
    kept: str = ""


def compiled(home: Path, delay_seconds: int, options: str = "") -> list[Compiled]:
    """Every model, each behind those that it reads, and every test, as a build that is not the first would run them.

    `options`: those that are on, whatever a platform of this process has in its environment.
    """
    # It takes seconds to import, which the quick tests do without.
    from dbt.adapters.spark import SparkAdapter
    from dbt.adapters.spark.relation import SparkRelation
    from dbt.cli.main import dbtRunner

    own = Settings(home=home, gateway_port=1, watermark_delay_seconds=delay_seconds, options=options)

    def there(adapter: SparkAdapter, database: str, schema: str, identifier: str) -> SparkRelation:
        return SparkRelation.create(schema=schema, identifier=identifier, type="table")

    # Only whether an incremental model has a table yet is asked of the gateway when dbt compiles.
    with pytest.MonkeyPatch.context() as environment, patch.object(SparkAdapter, "get_relation", there):
        for name, value in dbt_environment(own).items():
            environment.setenv(name, value)
        command = ["--quiet", "compile", "--no-introspect", "--no-populate-cache", "--threads", "1"]
        done = dbtRunner().invoke([*command, "--project-dir", str(models(own)), "--profiles-dir", str(models(own))])
    assert done.success, done.exception
    return [
        # What is kept by day is replaced by day, here all of them.
        Compiled(
            node.name,
            node.compiled_code,
            node.relation_name,
            str(node.config.get("incremental_strategy") or node.config.materialized),
        )
        for node in (result.node for result in done.result.results)
    ]


def sources() -> dict[str, Table]:
    """Every table of the lake that dbt may read, as its owner declares it, by `layer.name`."""
    return {table.sql: table for table in (*stream_tables(), *night_tables())}


class Gold:
    """A lake of temporary views: `put` rows into sources, `build`, read `rows`, and see what is `failing`.

    Like a build of dbt's: marts are what they were at the last build, staging models and views are as new as the sources.
    The models of a view without any row are empty, and not computed: most tests are about one view.
    """

    _schemas: ClassVar[dict[str, StructType]] = {}
    """SQL of an empty model -> its columns, which Spark is asked for once."""

    def __init__(self, session: SparkSession, nodes: Sequence[Compiled]) -> None:
        # Its views are its own.
        self.session = session.newSession()
        for setting, value in INLINED.items():
            self.session.conf.set(setting, value)
        self.tables = sources()
        self.models = {node.name: node for node in nodes if node.kept != "test"}
        self.tests = {node.name: node for node in nodes if node.kept == "test"}
        known = [*self.tables, *(str(model.relation) for model in self.models.values())]
        self._relation = re.compile(rf"\b({'|'.join(map(re.escape, sorted(known, key=len, reverse=True)))})\b")
        self._about: set[str] = set()
        self._made: set[str] = set()
        self._empty: set[str] = set()
        for name in self.tables:
            self.put(name, [])

    def put(self, name: str, rows: Iterable[Mapping[str, Any]]) -> None:
        """Make these the rows of a source, e.g. `speed.progress`; a missing column is null."""
        rows = list(rows)
        self._about |= {str(row.get("view", name.partition(".")[2])) for row in rows}
        frame(self.session, rows, self.tables[name].schema).createOrReplaceTempView(self._local(name))

    def build(self) -> None:
        """Build every model, as `dbt build` does."""
        for name, model in self.models.items():
            view, sql = self._local(str(model.relation)), self._local(model.sql)
            if self._is_empty(model):
                if sql not in self._schemas:
                    self._schemas[sql] = self.session.sql(sql).schema
                if name not in self._empty:
                    self.session.createDataFrame([], self._schemas[sql]).createOrReplaceTempView(view)
                    self._empty.add(name)
            elif model.kept == "view":
                if name not in self._made:
                    self._look(view, sql)
                    self._made.add(name)
            else:
                found = self.session.sql(sql)
                if model.kept == "append" and name in self._made:
                    found = self.session.table(view).unionByName(found)
                found.localCheckpoint().createOrReplaceTempView(view)
                self._made.add(name)

    @contextmanager
    def instead(self, model: str, **columns: str) -> Iterator[None]:
        """Let a model have other columns, in SQL, than it was built with."""
        built = self.models[model]
        view = self._local(str(built.relation))
        own = self.session.table(view).localCheckpoint()
        other = {name: name for name in own.columns} | columns
        own.selectExpr(*(f"{sql} as {name}" for name, sql in other.items())).createOrReplaceTempView(view)
        try:
            yield
        finally:
            if built.kept == "view":
                self._look(view, self._local(built.sql))
            else:
                own.createOrReplaceTempView(view)

    def rows(self, model: str, where: str = "true") -> list[dict[str, Any]]:
        """A model's rows."""
        found = self.session.table(self._local(str(self.models[model].relation))).where(where)
        return [row.asDict(recursive=True) for row in found.collect()]

    def unfit(self) -> dict[str, str]:
        """The tests that Spark does not understand, with its reason; none is run."""
        found = {}
        for name, test in self.tests.items():
            try:
                self.session.sql(self._local(test.sql))
            except AnalysisException as refused:
                found[name] = str(refused)
        return found

    def failing(self, *beginnings: str) -> set[str]:
        """The tests that find rows, of those whose names begin so."""
        chosen = {name: test for name, test in self.tests.items() if name.startswith(beginnings)}
        assert chosen, beginnings
        return {name for name, test in chosen.items() if self.session.sql(self._local(test.sql)).take(1)}

    def faults(self, beginning: str, column: str = "fault") -> set[str]:
        """What the one test whose name begins so finds, by a column of it."""
        (test,) = (test for name, test in self.tests.items() if name.startswith(beginning))
        return {row[column] for row in self.session.sql(self._local(test.sql)).collect()}

    def _is_empty(self, model: Compiled) -> bool:
        """Is it of a view of which no row was put?"""
        view = re.sub("^(fct_|stg_speed__|stg_truth__)", "", model.name).removesuffix("_history")
        return f"speed.{view}" in self.tables and view not in self._about

    def _look(self, view: str, sql: str) -> None:
        """A view in SQL reads what the views below it are when it is read."""
        self.session.sql(f"CREATE OR REPLACE TEMPORARY VIEW {view} AS {sql}")

    def _local(self, sql: str) -> str:
        return self._relation.sub(lambda found: found[0].replace(".", "__"), sql)
