"""The tables of `daybreak status`.

Data flow: Status per program, what the stream's views hold, problems -> terminal
Run: daybreak status
"""

from collections.abc import Mapping, Sequence

from rich.markup import escape
from rich.table import Column, Table

from infra.commands.screen import Screen
from infra.problems import Problem
from infra.services.status import Condition, Status

console = Screen()
COLOURS = {Condition.HEALTHY: "green", Condition.FAILED: "red", Condition.FAILING: "bold red", Condition.STOPPED: "dim"}


def show(found: list[Status]) -> None:
    """A row per program, a sentence for each that fails or waits, and what else people should know."""
    unbroken = [Column(title, no_wrap=True) for title in ("program", "condition", "pid", "port", "MB", "peak MB", "up")]
    table = Table(*unbroken, box=None, header_style="dim")
    for one in found:
        table.add_row(*_row(one))
    console.print(table)
    for one in found:
        if one.condition is Condition.FAILING:
            console.print(f"[bold red]{one.name} is failing[/]: {escape(str(one.waits_for))}", soft_wrap=True)
        elif one.waits_for:
            console.print(f"{one.name} waits for {escape(one.waits_for)}", soft_wrap=True)
        for notice in one.notices:
            console.print(f"[yellow]{escape(notice)}[/]", soft_wrap=True)


def show_held(views: Mapping[str, tuple[int, int]]) -> None:
    """What the stream keeps for its views, in memory or on disk, once it has written a micro-batch."""
    if not views:
        return
    right = [Column(title, justify="right", no_wrap=True) for title in ("rows kept", "MB")]
    table = Table(Column("view of the stream", no_wrap=True), *right, box=None, header_style="dim")
    for view, (rows, size) in views.items():
        table.add_row(view, f"{rows:,}", f"{size / 1e6:,.1f}")
    console.print(table)


def show_count(known: int) -> None:
    """How many problems there are, if there are any."""
    if known:
        are = "1 problem is" if known == 1 else f"{known} problems are"
        console.print(f"[bold red]{are} known:[/] daybreak status --problems")


def show_problems(found: Sequence[Problem], is_up: bool) -> None:
    """Each problem: its id, since when, how many, which rows, and what mends it."""
    for one in found:
        count = "" if one.count is None else f", {one.count:,} in all"
        since = f"since {one.since:%Y-%m-%d %H:%M} UTC" if one.since else "since now"
        console.print(f"[bold red]{escape(one.id)}[/] [dim]{since}{count}[/]", soft_wrap=True)
        console.print(f"  {escape(one.what)}", soft_wrap=True)
        for row in one.rows:
            console.print(f"    {escape(row)}", soft_wrap=True)
        console.print(f"  [dim]to mend it:[/] {escape(one.mend)}", soft_wrap=True)
    if not is_up:
        known = "these are the problems that were known before" if found else "no problem was known before"
        console.print(f"The platform is down: {known}.", soft_wrap=True)
    elif not found:
        console.print("[green]no problems[/]")


def _row(one: Status) -> list[str]:
    condition = f"[{COLOURS.get(one.condition, 'yellow')}]{one.condition}[/]"
    seconds = one.up_seconds or 0
    since = "" if one.up_seconds is None else f"{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}"
    cells = [one.pid, ", ".join(map(str, one.ports.values())), one.memory_mb, one.peak_mb, since]
    return [one.name, condition, *("" if cell is None else str(cell) for cell in cells)]
