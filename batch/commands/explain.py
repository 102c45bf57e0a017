"""The command `explain`: why a number is as it is, from the stream's first answer to what is served now.

Data flow: a view or a model of gold, a key -> the answers in the order of time, with the events behind each
Run: daybreak explain order_totals "2026-01-31 12:00"
"""

import json
from typing import Annotated

import typer

from batch.explain.answer import answer
from batch.explain.key import looks, parsed
from batch.explain.known import known
from batch.explain.names import asked
from batch.explain.screen import WIDTH, lines
from batch.explain.steps import steps
from infra.commands.screen import Screen
from infra.dates import day_of
from infra.failures import PermanentFailure

commands = typer.Typer()
console = Screen(WIDTH)


@commands.command()
def explain(
    view: Annotated[str, typer.Argument(help="A view, or a table of gold that is made from it.")],
    key: Annotated[
        list[str] | None,
        typer.Argument(help="Values in the order of the view's key, column=value pairs, or the key's JSON."),
    ] = None,
    day: Annotated[
        str | None, typer.Option("--day", help="The row's day (UTC), if the key has rows on several.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object, with all answers and events.")] = False,
) -> None:
    """Why is this number so? The answers to a row in the order of time, and the events behind each."""
    of = asked(view)
    if not key:
        raise PermanentFailure(f"which row of {of.view.name}? {looks(of.view)}")
    found = known(of, parsed(of.view, key), day_of(day) if day else None)
    in_order = steps(found)
    if as_json:
        print(json.dumps(answer(found, in_order)))
        return
    for line in lines(found, in_order, min(console.width, WIDTH)):
        console.print(line, markup=False, soft_wrap=True)
