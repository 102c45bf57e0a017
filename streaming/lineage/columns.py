"""The columns of topics that each column of each view comes from, by the plan of the view's own function.

Data flow: views on empty, marked events -> analyzed plans -> origins; kept in `<home>/lineage.json` by the view's version
Run: pytest tests/streaming/lineage/test_columns.py

To plan all views takes a cold JVM seconds, so a view is planned once per version of its definition.
"""

import json
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from uuid import uuid4

from pyspark.sql import SparkSession
from pyspark.sql.types import StructField, StructType

from infra.lake.at_once import at_once
from infra.lineage.datasets import Columns, Origin, Place
from infra.lineage.way import Way
from infra.settings import Settings
from streaming.contracts import CONTRACTS
from streaming.lineage.origins import MARK, Origins, origins
from streaming.lineage.plan import analyzed
from streaming.versions.definitions import no_events
from streaming.views import VIEWS
from streaming.views.view import View

Found = dict[str, list[list[str]]]
"""Topic, column and way per column of a view, as JSON has them; under the empty name those that decide its rows."""
Where = Callable[[str, str], tuple[Place, str]]
"""A column of a topic -> the dataset in which a layer reads it, and its name there."""


def of_view(session: SparkSession, view: View) -> Origins:
    """What the view's columns come from. Raises Unread if its plan has something of which that is not known."""
    frames = {topic: session.createDataFrame([], _marked(session, topic)) for topic in view.inputs}
    return origins(analyzed(view.answer(view.rows(frames)).select(*view.schema.fieldNames())))


def _marked(session: SparkSession, topic: str) -> StructType:
    """A topic's events as views see them, each column with where it comes from."""
    own = no_events(session, CONTRACTS[topic]).schema
    return StructType([StructField(one.name, one.dataType, True, {MARK: f"{topic}/{one.name}"}) for one in own])


def of_views(
    session: SparkSession,
    s: Settings,
    versions: Mapping[str, str],
    tell: Callable[[str], None],
    views: Iterable[View] | None = None,
) -> dict[str, Found]:
    """The same of all views, by name. What another process has found for these versions is not planned again.

    `tell` gets a sentence for each view of which it cannot be found out; it is left out.
    """
    file, chosen = s.home / "lineage.json", list(VIEWS.values() if views is None else views)
    known: dict[str, Found] = {}
    with suppress(OSError, ValueError, TypeError):
        known = dict(json.loads(file.read_text()))
    keys = {view.name: f"{view.name}@{versions[view.name]} {' '.join(view.inputs)}" for view in chosen}
    todo = [view for view in chosen if keys[view.name] not in known]
    if todo:
        found = at_once(session, lambda view: _found(session, view, tell), todo)
        known = {key: known[key] for key in keys.values() if key in known}
        known |= {keys[view.name]: one for view, one in zip(todo, found, strict=True) if one is not None}
        fresh = file.with_suffix(f".{uuid4()}")
        fresh.write_text(json.dumps(known, indent=1))
        fresh.replace(file)
    return {name: known[key] for name, key in keys.items() if key in known}


def _found(session: SparkSession, view: View, tell: Callable[[str], None]) -> Found | None:
    try:
        found = of_view(session, view)
    # A team's view may have in it whatever Spark can do. It is no reason to leave out the others.
    except Exception as failure:
        tell(f"which columns those of {view.name} come from is not known: {type(failure).__name__}: {failure}")
        return None
    columns = {**found.columns, "": found.rows}
    return {name: sorted([topic, column, way.value] for topic, column, way in own) for name, own in columns.items()}


def placed(found: Found, where: Where) -> Columns:
    """The origins of a view's columns in the datasets of a layer."""
    return {
        name: [Origin(*where(topic, column), Way(way)) for topic, column, way in own] for name, own in found.items()
    }
