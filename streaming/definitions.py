"""The version of a definition: a hash of its plan, the same in every process that has the same code.

Data flow: View or contracts -> analysed plan on empty frames -> 12 hex digits
Run: pytest tests/streaming/test_definitions.py
Source: Chronon's and dbt's state comparison hash text; a plan does not change with a comment.
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
"""The name under which the version of all contracts together is known beside the views'."""

WHOLE_TEXT = str(2**31 - 16)
"""Characters of a plan's text: Spark's own limit."""

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
    # A text that is cut would hide what changed behind the cut.
    session.conf.set("spark.sql.debug.maxToStringFields", "10000")
    session.conf.set("spark.sql.maxPlanStringLength", WHOLE_TEXT)
    records, events = session.createDataFrame([], RECORD), session.createDataFrame([], EVENT)
    topics = {topic: fingerprint(validate_by(records, (contract,))) for topic, contract in CONTRACTS.items()}
    found = {EVENTS: _hash(sorted(topics.items())), **{of_topic(topic): version for topic, version in topics.items()}}
    for view in VIEWS.values():
        # Frames of the inputs' own columns: silver's have those of every topic.
        inputs = {topic: session.createDataFrame([], topic_events(events, topic).schema) for topic in view.inputs}
        plan = fingerprint(view.answer(view.rows(inputs)))
        found[view.name] = _hash([plan, *[topics[topic] for topic in sorted(view.inputs)]])
    return found


def of_topic(topic: str) -> str:
    """The name under which the version of a topic's contract is known."""
    return f"{EVENTS}/{topic}"


def of_event(versions: Mapping[str, str]) -> Column:
    """Over a row of any topic: the version of the contract that validated it."""
    words = [F.lit(word) for topic in CONTRACTS for word in (topic, versions[of_topic(topic)])]
    return F.create_map(*words)[F.col("topic")]


def differing(by: Mapping[str, str], versions: Mapping[str, str]) -> set[str]:
    """The names of what makes a day anew that was settled `by` other versions.

    A view that is new has no rows of the day; a new topic has no records of it, or they touch the day as they arrive. `events`
    is compared only where nothing else tells the contracts.
    """
    told = any(_is_of_topic(name) for name in by)
    compared = {name for name in versions if name in by or not _is_of_topic(name)} - ({EVENTS} if told else set())
    return {name for name in compared if by.get(name) != versions[name]}


def is_of_events(name: str) -> bool:
    """Is it a version of contracts, and not of a view?"""
    return name == EVENTS or _is_of_topic(name)


def _is_of_topic(name: str) -> bool:
    return name.startswith(of_topic(""))


def _hash(words: object) -> str:
    return hashlib.sha256(f"{words}".encode()).hexdigest()[:12]
