"""The night's driver: its Spark session, its lease, its tables.

Data flow: Table of each step -> Delta tables under the lake root
Run: python -m batch prepare
"""

from collections.abc import Mapping
from datetime import UTC, datetime

from pyspark.sql import SparkSession

from batch.archive import ARCHIVE, ARCHIVE_GAPS
from batch.conservation.check import CONSERVATION
from batch.corrections.ledger import CORRECTIONS
from batch.curve.lateness import EVENT_LATENESS
from batch.curve.points import CURVE
from batch.night_state import STATE
from batch.reconciliation.differences import DIFFERENCES, SUMMARY
from batch.reconciliation.evidence import EVIDENCE
from batch.settlement.decisions import DECISIONS
from batch.settlement.settlements import PAST_SETTLEMENTS, SETTLEMENTS
from batch.truth import TRUTH, TRUTH_QUARANTINE, truth_table
from infra.failures import TransientFailure
from infra.lake import spark_tables
from infra.lake.lease import Lease
from infra.lake.tables import Table
from infra.session import FEW_ROWS, spark
from infra.settings import settings
from streaming.definitions import definitions
from streaming.gaps import BRONZE_GAPS
from streaming.views import VIEWS


def session() -> SparkSession:
    """The night's Spark session."""
    s = settings()
    # A day of many records gets others when its turn has come (batch/tuning).
    return spark("daybreak night", s.night_memory, s.night_jvm, {**FEW_ROWS, **s.spark_conf})


SHORT = "2000"
"""Characters of a plan's text."""


def versions(own: SparkSession) -> Mapping[str, str]:
    """The definitions in force. They are hashes of plans' whole texts; afterwards the session makes short ones."""
    found = definitions(own)
    own.conf.set("spark.sql.maxPlanStringLength", SHORT)
    own.conf.set("spark.sql.debug.maxToStringFields", "25")
    return found


def tables(own: SparkSession) -> tuple[Table, ...]:
    """The tables that the night owns, in the order in which they are created."""
    recomputed = (ARCHIVE, TRUTH, TRUTH_QUARANTINE)
    found = (DIFFERENCES, EVIDENCE, SUMMARY, CORRECTIONS, SETTLEMENTS, STATE, EVENT_LATENESS, CURVE)
    more = (ARCHIVE_GAPS, CONSERVATION, PAST_SETTLEMENTS, DECISIONS)
    return (*recomputed, *found, *(truth_table(own, view) for view in VIEWS.values()), *more)


def create_tables(own: SparkSession) -> None:
    """Create what is missing of them."""
    spark_tables.create_missing(own, tables(own))


def lease() -> Lease:
    """The right to write the night's tables; a night waits for it."""
    return Lease("night", settings().lease_wait_seconds)


def refuse_without_stream(own: SparkSession) -> None:
    """Raise TransientFailure while the tables that a night reads are not there."""
    # The last table that the stream creates.
    if not spark_tables.exists(own, BRONZE_GAPS):
        raise TransientFailure("the stream has not created its tables yet: is it running, with this code?")


def say(text: str) -> None:
    """Print a line with the time (UTC)."""
    print(f"{datetime.now(UTC):%H:%M:%S} {text}", flush=True)
