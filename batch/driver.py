"""The night's driver: its Spark session, its lease, its tables.

Data flow: Table of each step -> Delta tables under the lake root
Run: python -m batch prepare
"""

from collections.abc import Mapping
from datetime import UTC, datetime

from pyspark.sql import SparkSession

from batch.archive import ARCHIVE, ARCHIVE_GAPS
from batch.completeness import CURVE
from batch.conservation import CONSERVATION
from batch.correct import CORRECTIONS
from batch.coverage import COVERAGE, PAST_COVERAGE
from batch.decisions import DECISIONS
from batch.differences import DIFFERENCES, SUMMARY
from batch.evidence import EVIDENCE
from batch.state import STATE
from batch.truth import TRUTH, TRUTH_QUARANTINE, truth_table
from batch.waits import WAITS
from infra import lake
from infra.failures import TransientFailure
from infra.lease import Lease
from infra.session import FEW_ROWS, spark
from infra.settings import settings
from infra.tables import Table
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
    found = (DIFFERENCES, EVIDENCE, SUMMARY, CORRECTIONS, COVERAGE, STATE, WAITS, CURVE)
    more = (ARCHIVE_GAPS, CONSERVATION, PAST_COVERAGE, DECISIONS)
    return (*recomputed, *found, *(truth_table(own, view) for view in VIEWS.values()), *more)


def create_tables(own: SparkSession) -> None:
    """Create what is missing of them."""
    lake.create_missing(own, tables(own))


def lease() -> Lease:
    """The right to write the night's tables; a night waits for it."""
    return Lease("night", settings().lease_wait_seconds)


def refuse_without_stream(own: SparkSession) -> None:
    """Raise TransientFailure while the tables that a night reads are not there."""
    # The last table that the stream creates.
    if not lake.exists(own, BRONZE_GAPS):
        raise TransientFailure("the stream has not created its tables yet: is it running, with this code?")


def say(text: str) -> None:
    """Print a line with the time (UTC)."""
    print(f"{datetime.now(UTC):%H:%M:%S} {text}", flush=True)
