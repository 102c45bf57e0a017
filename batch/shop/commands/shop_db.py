"""The commands `shop-db ...`: the shop's database and the copies that follow it (option shop-db).

Data flow: Postgres, Kafka -> a table per copy on the terminal, JSON
Run: daybreak shop-db check
"""

import json
from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Annotated

import typer
from rich.table import Table

from batch.shop import three_ways, wrong_copies
from batch.shop.captured_truth import in_truth, not_yet
from batch.shop.warehouse import in_the_warehouse
from infra.commands.screen import Screen
from infra.failures import PermanentFailure
from infra.shop.commands.shop_db_on import shop_db_on
from infra.shop.db import check as checks
from infra.shop.db import snapshot as snapshots
from infra.shop.db.connection import connected
from infra.shop.db.write import load as loaded
from infra.shop.followers.copies import in_the
from infra.shop.followers.systems import systems
from streaming.quarantine.wrong_rows import known
from streaming.shop.captured_copy import in_silver

commands = typer.Typer()
shop_db = typer.Typer(no_args_is_help=True, help="The shop's database, and the copies that follow it.")
commands.add_typer(shop_db, name="shop-db")
console = Screen()


@shop_db.command()
def check(
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, one object per table and copy.")] = False,
    orders: Annotated[
        bool,
        typer.Option(
            "--orders", help="Only the orders: each one's row, the replay of its events, the captured changes."
        ),
    ] = False,
) -> None:
    """Compare every table, row by row, with its copies in log, stream, night and followers; exits with 65 if one differs."""
    s = shop_db_on()
    if orders:
        _check_orders(three_ways.compare(s), as_json)
        return
    followers = {f"the {name}": in_the(system, s) for name, system in systems(s).items()}
    copies = {"the log": checks.in_the_log, "the stream": in_silver(s), **followers}
    before = known(s)
    found = checks.check(s, copies) + in_truth(s) + in_the_warehouse(s)
    wrong_copies.told(s, found, before)
    if as_json:
        print(json.dumps([asdict(one) for one in found], indent=2))
    else:
        table = Table(box=None, header_style="dim")
        for name in ("table", "copy", "rows", "copied", "hash", "its hash", "differing"):
            table.add_column(name, justify="right" if name in ("rows", "copied", "differing") else "left")
        for one in found:
            table.add_row(one.table, one.copy, f"{one.rows:,}", f"{one.copied:,}", *one.hashes, f"{one.differing:,}")
        console.print(table)
        if waiting := not_yet(s):
            console.print(f"not yet in the night: {', '.join(waiting)}; the next one reads them", soft_wrap=True)
        for one in found:
            if one.older:
                console.print(
                    f"{one.table}, {one.copy}: {one.older:,} rows were captured before a column was added, and lack it until "
                    "they change: daybreak shop-db snapshot brings all",
                    soft_wrap=True,
                )
            if one.aside:
                console.print(
                    f"{one.table}, {one.copy}: {len(one.aside):,} rows have a text that is too long to be captured, and are set "
                    f"aside until it is shorter, the first: {one.aside[0]}",
                    soft_wrap=True,
                )
    if unequal := [one for one in found if not one.is_equal]:
        what = (
            f"{one.table} and {one.copy} differ in {one.differing:,} rows, the first: {one.first}" for one in unequal
        )
        raise PermanentFailure("; ".join(what))


def _check_orders(ways: Sequence[three_ways.Way], as_json: bool) -> None:
    if as_json:
        print(json.dumps([asdict(one) for one in ways], indent=2))
    else:
        table = Table("the database and", box=None, header_style="dim")
        numbers = ("orders", "equal", "waiting", "older", "differing")
        for name in numbers:
            table.add_column(name, justify="right")
        for one in ways:
            table.add_row(one.way, *(f"{getattr(one, name):,}" for name in numbers))
        console.print(table)
    if unequal := [one for one in ways if one.differing]:
        what = (f"{one.differing:,} orders differ from {one.way}, the first: {one.first}" for one in unequal)
        raise PermanentFailure("; ".join(what))
    if not as_json:
        console.print(_agreed(ways[0]), soft_wrap=True)


def _agreed(replay: three_ways.Way) -> str:
    said = [f"the three ways agree for {replay.equal:,} orders"]
    if replay.waiting:
        said += [f"{replay.waiting:,} wait for an event, the first: {replay.waits}"]
    if replay.older:
        said += [f"{replay.older:,} are older than the table, and are not compared with their events"]
    return "; ".join(said)


@shop_db.command()
def load(rows: Annotated[int, typer.Option(min=1, max=1_000_000, help="Rows of stock to insert.")] = 10_000) -> None:
    """Insert many rows in one transaction, as an import does."""
    with connected(shop_db_on()) as own:
        loaded(own, rows, datetime.now(UTC))
    console.print(f"{rows:,} rows of stock, in one transaction")


@shop_db.command()
def snapshot() -> None:
    """Capture all tables anew, where changes were lost; rows that were deleted meanwhile are deleted in every copy."""
    s = shop_db_on()
    with console.status("the connector takes a new snapshot"):
        deleted = snapshots.again(s)
    console.print(f"a new snapshot is in the log; {deleted:,} rows had been deleted while nobody read the changes")
