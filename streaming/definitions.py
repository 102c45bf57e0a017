"""The version of a definition: a hash of its plan, the same in every process that has the same code.

Data flow: View or contracts -> analysed plan on empty frames -> 12 hex digits
Run: pytest tests/streaming/test_definitions.py
Source: the state comparison of Chronon and dbt. Both hash text; a hash of the plan ignores comments.
"""

import hashlib
import re
from collections.abc import Mapping

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from streaming.bronze import RECORD
from streaming.contracts import CONTRACTS
from streaming.silver import EVENT, topic_events
from streaming.validate import validate_by
from streaming.views import VIEWS

EVENTS = "events"
"""Name of the version of all contracts together; it stands beside the names of the views."""

WHOLE_TEXT = str(2**31 - 16)
"""Longest plan text that Spark can return, in characters."""

# Expression ids and lambda variable names count up within a process.
_COUNTERS = re.compile(r"#\d+L?|\b([a-z]+)_\d+\b")


def fingerprint(frame: DataFrame) -> str:
    """Hash of a frame's analysed plan, without the ids that differ from process to process."""
    plan = frame._jdf.queryExecution().analyzed().treeString()
    return hashlib.sha256(_COUNTERS.sub(r"\1", plan).encode()).hexdigest()[:12]


def definitions(session: SparkSession) -> Mapping[str, str]:
    """The versions in force: `events/<topic>` per contract, one per view, and `events`, which changes with any contract.

    A view's version covers the contracts of its inputs. A new topic or view leaves the versions of the others as they are.
    """
    # A truncated plan would hide a change behind the cut.
    session.conf.set("spark.sql.debug.maxToStringFields", "10000")
    session.conf.set("spark.sql.maxPlanStringLength", WHOLE_TEXT)
    records, events = session.createDataFrame([], RECORD), session.createDataFrame([], EVENT)
    topics = {topic: fingerprint(validate_by(records, (contract,))) for topic, contract in CONTRACTS.items()}
    found = {EVENTS: _hash(sorted(topics.items())), **{of_topic(topic): version for topic, version in topics.items()}}
    for view in VIEWS.values():
        # Only the columns of the view's inputs: silver has the columns of every topic.
        inputs = {topic: session.createDataFrame([], topic_events(events, topic).schema) for topic in view.inputs}
        plan = fingerprint(view.answer(view.rows(inputs)))
        found[view.name] = _hash([plan, *[topics[topic] for topic in sorted(view.inputs)]])
    return found


def of_topic(topic: str) -> str:
    """Name of the version of a topic's contract: `events/<topic>`."""
    return f"{EVENTS}/{topic}"


def of_event(versions: Mapping[str, str]) -> Column:
    """A column over rows of any topic: the version of the contract that validated the row."""
    words = [F.lit(word) for topic in CONTRACTS for word in (topic, versions[of_topic(topic)])]
    return F.create_map(*words)[F.col("topic")]


def differing(by: Mapping[str, str], versions: Mapping[str, str]) -> set[str]:
    """The definitions whose version differs from `by`, by which a day was settled: they make the day anew.

    A new view counts, because it has no rows of the day. A new topic does not: its records mark the day as they arrive.
    `events` is compared only if `by` has no version per topic.
    """
    told = any(_is_of_topic(name) for name in by)
    compared = {name for name in versions if name in by or not _is_of_topic(name)} - ({EVENTS} if told else set())
    return {name for name in compared if by.get(name) != versions[name]}


def is_of_events(name: str) -> bool:
    """True for the name of a version of contracts, False for a view's."""
    return name == EVENTS or _is_of_topic(name)


def topic_of(name: str) -> str | None:
    """The topic whose contract's version has this name; None for the name of anything else."""
    return name.removeprefix(of_topic("")) if _is_of_topic(name) else None


def _is_of_topic(name: str) -> bool:
    return name.startswith(of_topic(""))


def _hash(words: object) -> str:
    return hashlib.sha256(f"{words}".encode()).hexdigest()[:12]
