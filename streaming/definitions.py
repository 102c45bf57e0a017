"""The version of a definition: a hash of its plan, the same in every process that has the same code.

Data flow: View or contracts -> analysed plan on empty frames -> 12 hex digits
Run: pytest tests/streaming/test_definitions.py
Source: Chronon's and dbt's state comparison hash text; a plan does not change with a comment.
"""

import hashlib
import re
from collections.abc import Mapping

from pyspark.sql import DataFrame, SparkSession

from streaming.bronze import RECORD
from streaming.judge import judge
from streaming.silver import EVENT, topic_events
from streaming.views import VIEWS

EVENTS = "events"
"""The name under which the contracts' version is known beside the views'."""

# Expression ids and lambda variable names count up within a process.
_COUNTERS = re.compile(r"#\d+L?|\b([a-z]+)_\d+\b")


def fingerprint(frame: DataFrame) -> str:
    """Hash of a frame's analysed plan, without the ids that differ from process to process."""
    plan = frame._jdf.queryExecution().analyzed().treeString()
    return hashlib.sha256(_COUNTERS.sub(r"\1", plan).encode()).hexdigest()[:12]


def definitions(session: SparkSession) -> Mapping[str, str]:
    """The versions in force: `events` for the contracts, and one per view (which covers its inputs' contracts)."""
    session.conf.set("spark.sql.debug.maxToStringFields", "10000")
    contracts = fingerprint(judge(session.createDataFrame([], RECORD)))
    events = session.createDataFrame([], EVENT)
    found = {EVENTS: contracts}
    for view in VIEWS.values():
        rows = view.answer(view.rows({topic: topic_events(events, topic) for topic in view.inputs}))
        found[view.name] = hashlib.sha256(f"{contracts}{fingerprint(rows)}".encode()).hexdigest()[:12]
    return found
