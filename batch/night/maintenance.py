"""Maintenance beside a night's steps: create the tables, send corrections, draw curves, accept gaps, clean up.

Data flow: a command -> the night's tables, under the night's lease
Run: python -m batch --help
"""

from collections.abc import Mapping

from pyspark.sql import SparkSession

from batch.conservation.gaps import accept
from batch.conservation.losses import accept as accept_faults
from batch.corrections.publish import publish as publish_corrections
from batch.curve.curve import curve as curve_of_days
from batch.days.day import Day, names
from batch.lineage import start as lineage
from batch.night.all_tables import night_tables
from batch.night.driver import create_tables, lease, refuse_without_stream, say, session
from batch.settlement.decisions import newest
from batch.settlement.settlements import is_settled
from infra.failures import PermanentFailure
from infra.lake.upkeep import tidy
from streaming.positions.log import log_now
from streaming.versions.definition_cache import known_definitions


def prepare() -> None:
    """Create the night's tables, so that the gateway can serve them before the first night."""
    with lease():
        own = session()
        create_tables(own)
        own.stop()


def publish() -> None:
    """Send the corrections that are not in the topic yet, as the next night would do."""
    with lease():
        own = session()
        create_tables(own)
        say(f"publish: {publish_corrections(own)} corrections")
        own.stop()


def upkeep() -> None:
    """Compact the night's tables, remove files that no version of the last week needs, and rows by DAYBREAK_KEEP_DAYS."""
    with lease():
        own = session()
        tidy(night_tables())
        own.stop()


def accept_gaps(note: str, by: str) -> None:
    """Accept that Kafka removed records before a night read them; each gap becomes a permanent row of archive/gaps."""
    if not note.strip() or not by.strip():
        raise PermanentFailure("to accept a gap you must say who you are and why: add --by and --note")
    with lease():
        own = session()
        create_tables(own)
        refuse_without_stream()
        for gap in accept(own, note, by):
            say(f"gap accepted: {gap}, {gap.end - gap.start} offsets, {gap.cause}")
        own.stop()


def accept_losses(note: str, by: str) -> None:
    """Accept what the last night found not to add up; it becomes permanent rows of reconciliation/losses."""
    if not note.strip() or not by.strip():
        raise PermanentFailure("to accept a loss you must say who you are and why: add --by and --note")
    with lease():
        own = session()
        create_tables(own)
        refuse_without_stream()
        for one in accept_faults(own, log_now(), note, by):
            for sentence in one.faults().values():
                say(f"accepted by {by}: {sentence}")
        own.stop()


def curve(day: Day, full: bool = False) -> None:
    """Draw the curve of the settled days that have none, `day` included. It is no Step: a night is complete without it."""
    own = session()
    with lease(), lineage.of_night(day):
        create_tables(own)
        draw(own, day, known_definitions(own), full)
    own.stop()


def draw(own: SparkSession, day: Day, in_force: Mapping[str, str], full: bool = False) -> None:
    """As `curve`, in a running driver that holds the lease."""
    # A day that waits for an approval, or was rejected, has no curve; the other days still get theirs.
    held = not is_settled(day) and newest(day) is not None
    with lineage.step("curve", day):
        say(f"curve: {names(curve_of_days(own, None if held else day, in_force, full))}")
