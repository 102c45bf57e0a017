"""Print what the platform costs, measured on one of its own: `make bench`, or `make bench ONLY="drain live"`.

Data flow: sections, one after the other on one platform -> Figures -> a table, and `.daybreak/bench/figures.jsonl`
Run: make bench; make bench ONLY="airflow age" AGE=50000

No figure makes it fail: a machine that is busy is slower. It fails where a section cannot be measured.
"""

import signal
import sys
import traceback
from collections.abc import Callable
from typing import Annotated

import typer
from rich.console import Console

from infra.failures import TransientFailure, reported
from tests.bench import age as ages
from tests.bench import capture as captures
from tests.bench import commands as asked
from tests.bench import night as nights
from tests.bench import scale as scales
from tests.bench import shares, stream
from tests.bench.bed import Bed, bed
from tests.bench.cpu import memory
from tests.bench.figure import Figure, save, show

GIB = 1 << 30
USUAL = ("drain", "night", "live", "freshness", "memory", "ratio")
OPTIONAL = ("airflow", "load", "views", "age", "capture", "commands", "per_view", "scale", "cluster")
"""They take minutes each, and the first brings the whole platform up."""
ORDER = (
    "drain",
    "night",
    "airflow",
    "live",
    "freshness",
    "load",
    "views",
    "age",
    "memory",
    "capture",
    "commands",
    "ratio",
    "per_view",
    "scale",
    "cluster",
)
"""Past days come before the live ones, behind which all their events would be late."""
console = Console(highlight=False)


def main(
    only: Annotated[list[str] | None, typer.Argument(help=f"Of {', '.join(ORDER)}; default {', '.join(USUAL)}")] = None,
    records: Annotated[int, typer.Option(help="Records to drain.")] = 120_000,
    night: Annotated[int, typer.Option(help="Records of the night's day.")] = 75_000,
    events: Annotated[int, typer.Option(help="Events of the night that is compared with DuckDB.")] = 1_000_000,
    records_of_scale: Annotated[
        int, typer.Option("--scale", help="Records that are drained at once, 500 per second of event time.")
    ] = 1_800_000,
    commits: Annotated[int, typer.Option("--age", help="Commits by which each table of the stream is aged.")] = 5_000,
    port_base: Annotated[int, typer.Option(help="First port of the bench's own platform.")] = 27_000,
) -> None:
    """Measure, and print what was measured."""
    # As by Ctrl-C, so that the platform is taken down.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    chosen = [name for name in ORDER if name in (only or USUAL)]
    if unknown := set(only or ()) - set(ORDER):
        raise typer.BadParameter(f"{', '.join(sorted(unknown))}: there are {', '.join(ORDER)}")
    sections: dict[str, Callable[[Bed], list[Figure]]] = {
        "drain": lambda own: stream.drain(own, records),
        "night": lambda own: nights.night(own, night),
        "airflow": lambda own: nights.airflow(own, night),
        "live": stream.live,
        "freshness": lambda own: [*stream.fresh(own, 20), *stream.fresh(own, 50)],
        "load": stream.load,
        "views": ages.views,
        "age": lambda own: ages.age(own, commits),
        "memory": remembered,
        "capture": captures.capture,
        "commands": asked.commands,
        "scale": lambda own: scales.scale(own, records_of_scale),
        "cluster": shares.cluster,
    }
    found: list[Figure] = []
    failed: list[str] = []

    def measure(name: str, section: Callable[[], list[Figure]]) -> None:
        console.print(f"measuring: {name}")
        try:
            found.extend(section())
        except Exception:
            # The others are measured all the same, and the end says which one was not.
            traceback.print_exc(file=sys.stderr)
            failed.append(name)

    if on_platform := [name for name in chosen if name in sections]:
        with bed(port_base) as own:
            for name in on_platform:
                measure(name, lambda name=name: sections[name](own))  # type: ignore[misc]
            save(found, own.settings.home / "figures.jsonl")
    if "ratio" in chosen:
        measure("ratio", lambda: nights.ratio(events))
    if "per_view" in chosen:
        measure("per_view", lambda: nights.per_view(night))
    show(found)
    if failed:
        raise TransientFailure(f"not measured: {', '.join(failed)}; see above")


def remembered(own: Bed) -> list[Figure]:
    """The whole platform up, and what its processes hold."""
    own.run("up")
    sizes = memory(own.pids())
    resident, proportional = (sum(size[which] for size in sizes.values()) / GIB for which in (0, 1))
    note = ", ".join(f"{name} {size[1] / GIB:.1f}" for name, size in sizes.items())
    return [
        Figure("memory", "all processes, what they share counted once", proportional, "GiB", 6, note=note),
        Figure("memory", "the same, resident in each", resident, "GiB"),
    ]


if __name__ == "__main__":
    with reported():
        typer.run(main)
