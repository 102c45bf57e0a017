"""The version of a definition: a hash of its plan, the same in every process that has the same code.

Data flow: View or contracts -> analysed plan on empty frames -> 12 hex digits
Run: pytest tests/streaming/test_definitions.py
Source: the state comparison of Chronon and dbt. Both hash text; a hash of the plan ignores comments.

A schema version of a contract has a hash of its own, of the contract as it was when that version was the newest. So a new
schema version leaves the hashes of older events, and of the views that do not read its fields, as they are.
"""

import hashlib
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from pyspark.errors import AnalysisException, PySparkAttributeError
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import StructType

from infra.lake.at_once import at_once
from streaming.contracts import CONTRACTS
from streaming.contracts.contract import Contract
from streaming.encodings.as_json import stored_schemas
from streaming.tables.bronze import RECORD
from streaming.tables.silver import EVENT, topic_events, with_defaults
from streaming.validation.validate import validate_by
from streaming.views import VIEWS
from streaming.views.view import View

AT = "@"
"""Stands before the schema version in a name."""

EVENTS = "events"
"""Name of the version of all contracts together; it stands beside the names of the views."""

WHOLE_TEXT = str(2**31 - 16)
"""Longest plan text that Spark can return, in characters."""
SHORT_TEXT = "2000"
"""Spark writes the text of every query's plan, whether it is shown or not."""

# Expression ids and the names of lambda variables count up within a process. Elsewhere a number is part of the meaning.
_VARIABLES = re.compile(r"\blambda ([a-z]+)_\d+(?=#)")
_IDS = re.compile(r"(?<=[\w)\]])#(\d+)")


def fingerprint(frame: DataFrame) -> str:
    """Hash of a frame's analysed plan. Its ids differ from process to process: each counts as the place where it first stands, so
    that it still tells which of two columns of one name is meant."""
    plan = _VARIABLES.sub(r"lambda \1", frame._jdf.queryExecution().analyzed().treeString())
    places: dict[str, int] = {}
    plan = _IDS.sub(lambda found: f"#{places.setdefault(found[1], len(places))}:", plan)
    return hashlib.sha256(plan.encode()).hexdigest()[:12]


def definitions(session: SparkSession) -> Mapping[str, str]:
    """The versions in force: `events/<topic>` per contract (`events/<topic>@2` for its schema version 2), one per view, and
    `events`, which changes with any contract.

    A view's version covers the contracts of its inputs, up to the schema version whose fields it reads. A new topic, view or
    schema version leaves the versions of the others as they are.
    """
    with whole_plans(session):
        return _definitions(session)


@contextmanager
def whole_plans(session: SparkSession) -> Iterator[None]:
    """Give the text of plans in full: a cut would hide a change behind it. Afterwards, and in every query, short again."""
    _set(session, fields=10_000, characters=WHOLE_TEXT)
    try:
        yield
    finally:
        _set(session, fields=25, characters=SHORT_TEXT)


def _set(session: SparkSession, fields: int, characters: str) -> None:
    session.conf.set("spark.sql.debug.maxToStringFields", str(fields))
    session.conf.set("spark.sql.maxPlanStringLength", characters)


def _definitions(session: SparkSession) -> Mapping[str, str]:
    written = [(contract, version) for contract in CONTRACTS.values() for version in contract.versions]
    names = [of_topic(contract.topic, version) for contract, version in written]
    topics = dict(zip(names, at_once(session, lambda own: _of_contract(session, *own), written), strict=True))
    views = at_once(session, lambda view: _of_view(session, view, topics), VIEWS.values())
    return {EVENTS: _hash(sorted(topics.items())), **topics, **dict(zip(VIEWS, views, strict=True))}


def _of_contract(session: SparkSession, contract: Contract, version: int) -> str:
    # A contract that reads newer versions decodes the same records anew when it learns a version.
    own = contract if contract.reads_newer else contract.at(version)
    plan = fingerprint(validate_by(session.createDataFrame([], RECORD), (own,), compares=False))
    more = [*sorted(own.defaults.items()), *stored_schemas(own)]
    return _hash([plan, *more]) if more else plan


def _of_view(session: SparkSession, view: View, topics: Mapping[str, str]) -> str:
    """The hash of a view's plan, on the oldest schema versions of its inputs that have every field it reads."""
    newest = max(CONTRACTS[topic].newest for topic in view.inputs)
    for version in range(1, newest + 1):
        contracts = {topic: CONTRACTS[topic].at(version) for topic in view.inputs}
        try:
            frames = {topic: no_events(session, contract) for topic, contract in contracts.items()}
            plan = fingerprint(view.answer(view.rows(frames)))
        except (AnalysisException, PySparkAttributeError):
            if version == newest:
                raise
        else:
            return _hash([plan, *[topics[of_topic(topic, contracts[topic].newest)] for topic in sorted(view.inputs)]])
    raise AssertionError("a contract has a version")


def no_events(session: SparkSession, contract: Contract) -> DataFrame:
    """An empty frame of a topic's events. Only its own columns: silver has those of every topic, and of later versions."""
    found = topic_events(session.createDataFrame([], EVENT), contract.topic).schema
    names = {"event_id", "event_type", "event_time", *contract.payload.fieldNames()}
    own = StructType([field for field in found if field.name in names])
    return with_defaults(session.createDataFrame([], own), contract)


def of_topic(topic: str, version: int = 1) -> str:
    """Name of the version of a topic's contract: `events/<topic>`, and `events/<topic>@2` for its schema version 2."""
    return f"{EVENTS}/{topic}" if version == 1 else f"{EVENTS}/{topic}{AT}{version}"


def of_event(versions: Mapping[str, str]) -> Column:
    """A column over rows of any topic: the version of the contract that validated the row, by its `schema_version`."""
    of_contracts = {name: version for name, version in versions.items() if _is_of_topic(name)}
    known = F.create_map(*[F.lit(word) for pair in of_contracts.items() for word in pair])
    first = F.concat(F.lit(of_topic("")), "topic")
    return F.coalesce(known[F.concat(first, F.lit(AT), "schema_version")], known[first])


def of_one_event(versions: Mapping[str, str], topic: str, schema_version: int) -> str:
    """`of_event` for one event."""
    return versions.get(of_topic(topic, schema_version)) or versions[of_topic(topic)]


def differing(by: Mapping[str, str], versions: Mapping[str, str]) -> set[str]:
    """The definitions whose version differs from `by`, by which a day was settled: they make the day anew.

    A new view counts, because it has no rows of the day. A new topic does not: its records mark the day as they arrive. Nor
    does a new schema version: see `learned`. One that is withdrawn counts. `events` is compared only if `by` has no version
    per topic.
    """
    told = any(_is_of_topic(name) for name in by)
    compared = {name for name in versions if name in by or not _is_of_topic(name)} - ({EVENTS} if told else set())
    withdrawn = {
        name for name in by if AT in name and name not in versions and of_topic(topic_of(name) or "") in versions
    }
    return {name for name in compared if by.get(name) != versions[name]} | withdrawn


def learned(by: Mapping[str, str], versions: Mapping[str, str]) -> set[tuple[str, int]]:
    """Topics and schema versions that came after `by`: a record of theirs was rejected then, and may be valid now."""
    new = (name.removeprefix(of_topic("")).partition(AT) for name in versions if AT in name and name not in by)
    return {(topic, int(version)) for topic, _, version in new if of_topic(topic) in by}


def is_of_events(name: str) -> bool:
    """True for the name of a version of contracts, False for a view's."""
    return name == EVENTS or _is_of_topic(name)


def topic_of(name: str) -> str | None:
    """The topic whose contract has a version of this name; None for the name of anything else."""
    return name.removeprefix(of_topic("")).partition(AT)[0] if _is_of_topic(name) else None


def _is_of_topic(name: str) -> bool:
    return name.startswith(of_topic(""))


def _hash(words: object) -> str:
    return hashlib.sha256(f"{words}".encode()).hexdigest()[:12]
