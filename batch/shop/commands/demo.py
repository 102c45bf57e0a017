"""The whole platform from end to end: two past days and half a minute of live events, their nights, and what these found.

Data flow: up -> shop -> stream drained -> live events -> Airflow backfill -> gold, docs -> the report
Run: make demo
"""

import time
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, date, datetime, timedelta
from io import StringIO
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from batch.commands import nights
from batch.commands.reconciliation import show_findings
from infra.commands import platform
from infra.commands.screen import Screen
from infra.failures import TransientFailure
from infra.services import tables
from infra.settings import settings
from infra.store_format import versitygw_folder
from streaming.commands.freshness import show_freshness
from streaming.monitor.catch_up import behind
from streaming.shop.commands import traffic

commands = typer.Typer()

REPORT_WIDTH = 140
"""Columns of the recorded report, and of the rules between the steps when the output is a pipe."""
console = Screen(pipe_width=REPORT_WIDTH)
DRAIN_LIMIT = 1800
"""Seconds without any progress after which the demo stops waiting for the stream."""


@commands.command()
def demo(
    days: Annotated[int, typer.Option(min=1, max=30, help="How many past days.")] = 2,
    rate: Annotated[float, typer.Option(help="Mean events per second of a past day.")] = 0.25,
    live: Annotated[int, typer.Option(min=10, help="Seconds of live traffic.")] = 30,
    seed: Annotated[int, typer.Option(help="Seed of the shop's random events.")] = 1,
    picture: Annotated[
        Path | None, typer.Option(help="Save what was found of the last day as an SVG picture too.")
    ] = None,
) -> None:
    """Start the platform, send events, run the nights and show what they found. The platform stays up."""
    last = datetime.now(UTC).date() - timedelta(days=1)
    # The night of a day is due at 02:00 UTC; before that, yesterday's night would be early.
    if datetime.now(UTC).hour < 2:
        last -= timedelta(days=1)
    first = last - timedelta(days=days - 1)
    began = time.monotonic()
    _step(1, "the platform starts")
    platform.start_programs()
    platform.say_where()
    ledger = settings().home / "run" / "demo-ledger.jsonl"
    # Only gold needs the gateway's catalogue: it is filled while the past days come in.
    with ThreadPoolExecutor(1) as aside:
        registered = aside.submit(tables.register, settings(), _quietly, _quietly)
        _step(2, f"the shop sends {days} past {'day' if days == 1 else 'days'}, {first} to {last}")
        _shop(ledger, days=days, end=last, rate=rate, seed=seed)
        _step(3, "the stream drains the log")
        events, seconds = _drained()
        console.print(f"drained {events:,} records in {seconds:.0f} s: {events / max(seconds, 1):,.0f} records/s")
        registered.result()
    _step(4, f"{live} seconds of live traffic")
    since = datetime.now(UTC)
    _shop(ledger, days=0, end=last, rate=rate, seed=seed + 1, live=live)
    until = datetime.now(UTC)
    _drained()
    _step(5, f"the nights of {first} to {last}, as an Airflow backfill")
    nights.backfill(first.isoformat(), last.isoformat())
    _step(6, "what was found")
    _found(first, last, since, until, Console(highlight=False, width=None if console.is_terminal else REPORT_WIDTH))
    if picture:
        paper = Console(highlight=False, record=True, width=REPORT_WIDTH, file=StringIO())
        _found(last, last, since, until, paper)
        paper.save_svg(str(picture), title="make demo")
    console.print()
    _where_to_look(time.monotonic() - began)


def _found(first: date, last: date, since: datetime, until: datetime, paper: Console) -> None:
    show_findings(first, last, paper)
    paper.print()
    show_freshness(since, until, paper)


def _quietly(what: str) -> None:
    """Say nothing: a line of what goes on beside the steps would stand in the middle of theirs."""


def _step(number: int, text: str) -> None:
    console.rule(f"[bold]{number}[/] {text}", align="left", style="dim")


def _shop(ledger: Path, days: int, end: date, rate: float, seed: int, live: int = 0) -> None:
    traffic.shop(days=days, end=datetime(end.year, end.month, end.day), rate=rate, seed=seed, live=live, ledger=ledger)


def _drained() -> tuple[int, float]:
    """Wait until the stream has read the log; returns (records that it read, seconds it took).

    Raises TransientFailure if the stream makes no progress for DRAIN_LIMIT seconds.
    """
    s = settings()
    start = moved = time.monotonic()
    first = left = behind(s)
    with console.status("") as spinner:
        while not left.nothing:
            spinner.update(f"waiting for the stream: {left}")
            time.sleep(1)
            now = behind(s)
            if now != left:
                moved = time.monotonic()
                left = now
            elif time.monotonic() - moved > DRAIN_LIMIT:
                raise TransientFailure(
                    f"the stream has made no progress for {DRAIN_LIMIT} s ({left}): see daybreak status and daybreak "
                    "logs stream"
                )
    return first.records, time.monotonic() - start


def _where_to_look(seconds: float) -> None:
    s = settings()
    files = versitygw_folder(s.home) / s.bucket
    console.print(f"[bold]done in {seconds / 60:.1f} minutes; the platform stays up.[/] Look at:")
    for what, where in (
        (
            "Airflow",
            f"{s.airflow_url}  (user operator; `daybreak connect airflow --as operator --show` says the password)",
        ),
        ("dbt docs", f"{s.airflow_url}/dbt-docs/  (also in Airflow's navigation, or `daybreak docs`)"),
        ("the lake", f"{files}, as files" if files.is_dir() else f"bucket {s.bucket} at {s.s3_endpoint}"),
        ("Spark UI", f"http://127.0.0.1:{s.stream_ui_port}  (`daybreak connect spark --show` says the password)"),
        ("SQL", 'daybreak query "SELECT * FROM gold.fct_daily_orders ORDER BY day"'),
        ("stop it", "daybreak down  (.venv/bin/daybreak; data stays, `make clean` removes it)"),
    ):
        console.print(f"  {what:14} {where}", soft_wrap=True)
