"""The command `plan`: what the code changes, compared with what runs, before anything moves. It writes nothing.

Data flow: the present code, the lake -> changes, days to be redone, records and numbers that show it, the command to go on
Run: daybreak plan; daybreak plan --day 2026-01-31
"""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Annotated

import typer
from pyspark.sql import SparkSession

from batch.days.day import Day, parse
from batch.night import driver
from batch.plan.changes import Kind
from batch.plan.compared import Compared, as_json, compared, cost
from batch.plan.numbers import numbers, reasons
from batch.plan.reading import Running, Settled, rows_of_days, running, settled
from batch.plan.screen import WIDTH, lines
from batch.plan.tried import tried
from batch.truth.recompute import TRUTH, truth_table
from batch.trying import made
from infra.commands.screen import Screen
from infra.failures import PermanentFailure
from infra.settings import settings
from streaming.tables.silver import SILVER
from streaming.versions.definition_cache import known_definitions, remembered
from streaming.versions.definitions import differing, topic_of
from streaming.views import VIEWS

commands = typer.Typer()
console = Screen(WIDTH)


@commands.command()
def plan(
    day: Annotated[
        str | None, typer.Option("--day", help="Compute which numbers of this settled day (UTC) would change.")
    ] = None,
    as_object: Annotated[bool, typer.Option("--json", help="One JSON object, with all days.")] = False,
    is_tried: Annotated[
        bool,
        typer.Option("--try", help="Compute it beside what runs: daybreak promote, or daybreak abandon, ends that."),
    ] = False,
) -> None:
    """What would this code change? Contracts, views, settled days and numbers, before anything moves."""
    asked = parse(day) if day else None
    if is_tried:
        made.refuse(settings())
    runs, nights = running(), settled()
    if asked and asked.date not in nights.days:
        raise PermanentFailure(f"{asked} is not settled, so no numbers of it stand: {_which(nights)}")
    found, now = _planned(runs, nights, asked)
    if as_object:
        print(json.dumps(as_json(found)))
    else:
        for line in lines(found, min(console.width, WIDTH)):
            console.say(line)
    if is_tried:
        made.refuse_change(found)
        console.say(made.last_words(made.make(settings(), found, now, console.say)))


def _which(nights: Settled) -> str:
    if not nights.days:
        return "no day is settled yet"
    return f"the settled days are from {min(nights.days)} to {max(nights.days)}"


def _planned(runs: Running, nights: Settled, asked: Day | None) -> tuple[Compared, Mapping[str, str]]:
    with _spark() as own:
        now = remembered() or known_definitions(own())
        found = compared(runs, nights, now, VIEWS)
        changed = [one.name for one in found.contracts if one.kind is Kind.CHANGED]
        by = {topic: {at for name, at in runs.definitions.items() if topic_of(name) == topic} for topic in changed}
        found = replace(found, tried={topic: tried(own(), topic, by[topic]) for topic in changed})
        if found.redone or found.views:
            rows = [rows_of_days(truth_table(VIEWS[name])) for name in sorted(found.recomputed)]
            silver = sum(rows_of_days(SILVER).values())
            found = replace(found, cost=cost(found, runs, nights, rows_of_days(TRUTH), rows, silver))
        if asked:
            settlement = nights.days[asked.date]
            why = reasons(differing(dict(settlement["definitions"]), now), VIEWS)
            of_day, largest = numbers(own(), asked, settlement, now, why) if why else ([], [])
            found = replace(found, day=asked.date, numbers=of_day, largest=largest)
        return found, now


class _Spark:
    """A session as a night has it, with the key of a reader; it is started by the first who needs it."""

    session: SparkSession | None = None

    def __call__(self) -> SparkSession:
        self.session = self.session or driver.session()
        return self.session


@contextmanager
def _spark() -> Iterator[_Spark]:
    own = _Spark()
    try:
        yield own
    finally:
        if own.session:
            own.session.stop()
