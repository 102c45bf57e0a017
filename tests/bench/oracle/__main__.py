"""Print what a night costs: CPU per million events, against one thread of DuckDB, for 1x, 4x and 16x events.

Data flow: a day of the shop, three sizes -> a night, then DuckDB, each in a process of its own -> ratios and slopes
Run: make bench-night

Fails if DuckDB's rows are not the truth's. No service is needed, and none is asked.
"""

from typing import Annotated

import typer

from infra.failures import reported
from tests.bench.oracle.report import show
from tests.bench.oracle.run import Measured, measured

SIZES = (1, 4, 16)
app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)


@app.command()
def bench(
    events: Annotated[int, typer.Option(min=500, help="Events of the smallest day.")] = 60_000,
    seed: Annotated[int, typer.Option(help="Of the shop; the same seed gives the same bytes.")] = 1,
    sizes: Annotated[list[int] | None, typer.Option("--size", help="How many times that, e.g. 1, 3 and 10.")] = None,
) -> None:
    """Measure a night over days of 1, 4 and 16 times `events`, and DuckDB over the same archives."""
    found: list[Measured] = []
    try:
        for size in sorted({*(sizes or SIZES)}):
            found.append(measured(size, size * events, seed))
    finally:
        # A large size takes an hour: what was measured before one that fails is shown, too.
        if found:
            show(found)


if __name__ == "__main__":
    with reported():
        app()
