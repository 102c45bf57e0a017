"""What is done apart from a night's steps: create the tables, send corrections, draw curves, accept gaps, clean up.

Data flow: a command -> the night's tables, under the night's lease
Run: python -m batch --help
"""

from collections.abc import Mapping

from pyspark.sql import SparkSession

from batch.conservation.gaps import accept
from batch.corrections.publish import publish as publish_corrections
from batch.curve.curve import curve as curve_of_days
from batch.day import Day, names
from batch.driver import create_tables, lease, refuse_without_stream, say, session, versions
from batch.settlement.decisions import newest
from batch.settlement.settlements import is_settled
from batch.tables import night_tables
from infra.failures import PermanentFailure
from infra.lake.upkeep import tidy


def prepare() -> None:
    """Create the night's tables, so that the gateway can serve them before the first night."""
    with lease():
        own = session()
        create_tables(own)
        own.stop()


def publish() -> None:
    """Send the corrections that are not yet in the topic: what the next night would do."""
    with lease():
        own = session()
        create_tables(own)
        say(f"publish: {publish_corrections(own)} corrections")
        own.stop()


def upkeep() -> None:
    """Compact the night's tables, remove what no version of the last week needs, and forget by DAYBREAK_KEEP_DAYS."""
    with lease():
        own = session()
        tidy(night_tables())
        own.stop()


def accept_gaps(note: str) -> None:
    """Accept what the log has lost before a night read it, as gaps that stay named."""
    if not note.strip():
        raise PermanentFailure("a gap is accepted for a reason: say it with --note")
    with lease():
        own = session()
        create_tables(own)
        refuse_without_stream(own)
        for gap in accept(own, note):
            say(f"gap accepted: {gap}, {gap.end - gap.start} offsets, {gap.cause}")
        own.stop()


def curve(day: Day, full: bool = False) -> None:
    """Draw the curve of the settled days that have none, `day` included; no step, so that a night can do without."""
    own = session()
    with lease():
        create_tables(own)
        draw(own, day, versions(own), full)
    own.stop()


def draw(own: SparkSession, day: Day, in_force: Mapping[str, str], full: bool = False) -> None:
    """The same in a driver that has begun; under the lease."""
    # A day that a person holds back has no curve, and keeps no other day from its own.
    held = not is_settled(day) and newest(day) is not None
    say(f"curve: {names(curve_of_days(own, None if held else day, in_force, full))}")
