"""Make every listed mistake in a copy of the tree, and see that its check notices.

Data flow: MUTATIONS -> a copy with one mistake -> pytest on the one check that must fail -> a table
Run: python -m tests.mutations [WORD ...]   # or: make mutations; --list only shows them

First all the named checks run on a copy without a mistake and must pass: one that always fails would catch everything.
"""

import signal
from collections.abc import Sequence
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from tests.mutations.jvm import warm_jvm
from tests.mutations.listed import MUTATIONS
from tests.mutations.mutation import Mutation
from tests.mutations.trial import Ran, Verdict, copied, run


def main(
    words: Annotated[list[str] | None, typer.Argument(help="Only those with one of these in name or file")] = None,
    only_list: Annotated[bool, typer.Option("--list", help="Show them and run nothing")] = False,
    seconds: Annotated[int, typer.Option(help="Longest time for one check")] = 900,
) -> None:
    """Ends with 1 if a mutation survives, or if its check does not run."""
    # As by Ctrl-C, so that what was started is ended too.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    console = Console()
    chosen = [one for one in MUTATIONS if not words or any(word in f"{one.name} {one.file}" for word in words)]
    if only_list:
        console.print(table([(one, None) for one in chosen]))
        return
    if not chosen:
        raise typer.BadParameter(f"no mutation has {words} in its name or file")
    found: list[tuple[Mutation, Ran | None]] = []
    with warm_jvm() as jvm:
        checks = list(dict.fromkeys(one.caught_by for one in chosen))
        console.print(f"{len(checks)} checks on the code as it is", highlight=False)
        with copied() as tree:
            sound = run(tree, checks, seconds * len(checks), jvm)
        if sound.code != 0:
            console.print(f"they do not pass without a mutation (pytest: {sound.code}): {sound.said}", markup=False)
            raise typer.Exit(1)
        for number, one in enumerate(chosen, 1):
            with copied() as tree:
                one.apply(tree)
                ran = run(tree, [one.caught_by], seconds, jvm)
            found.append((one, ran))
            told = f"{number}/{len(chosen)} {ran.verdict}: {one.name}"
            said = "" if ran.verdict is Verdict.SURVIVED else f" (pytest: {ran.code}) {ran.said[:300]}"
            console.print(told + said, markup=False, highlight=False, soft_wrap=True)
    console.print(table(found))
    raise typer.Exit(int(any(ran and ran.verdict is not Verdict.CAUGHT for _, ran in found)))


def table(found: Sequence[tuple[Mutation, Ran | None]]) -> Table:
    """A row per mutation: what, where, by which check, and what became of it."""
    drawn = Table(caption=f"{len(found)} mutations")
    for name in ("mutation", "file", "check", ""):
        drawn.add_column(name, overflow="fold")
    for one, ran in found:
        drawn.add_row(Text(one.name), Text(one.file), Text(one.caught_by), Text(ran.verdict if ran else ""))
    return drawn


if __name__ == "__main__":
    typer.run(main)
