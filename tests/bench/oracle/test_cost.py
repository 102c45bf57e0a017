"""The bench's arithmetic: slopes, CPU of a process tree, and what is printed."""

import subprocess
import sys

import pytest
from rich.console import Console

from batch.night.steps import Step
from tests.bench.oracle.cost import slope, spent
from tests.bench.oracle.report import show
from tests.bench.oracle.run import Measured

SIZES = (1_000, 4_000, 16_000)


@pytest.mark.parametrize("exponent", [0.0, 0.5, 1.0, 2.0])
def test_the_slope_is_the_exponent(exponent: float) -> None:
    assert slope([(size, 7.0 * size**exponent) for size in SIZES]) == pytest.approx(exponent)


def test_a_fixed_cost_makes_the_slope_smaller() -> None:
    assert 0 < slope([(size, 5.0 + size / 1_000) for size in SIZES]) < 1


def test_the_slope_is_that_of_the_least_squares() -> None:
    # In logarithms to base 4: (0, 0), (1, 2), (2, 1), whose best line rises by a half per step.
    assert slope([(1, 1), (4, 16), (16, 4)]) == pytest.approx(0.5)


def test_a_child_that_has_ended_costs_too() -> None:
    costs: dict[str, float] = {}
    busy = "import time\nwhile time.process_time() < 0.5: pass"
    with spent(costs, "child"):
        subprocess.run([sys.executable, "-c", busy], check=True)
    with spent(costs, "nothing"):
        pass
    # The kernel counts in hundredths.
    assert costs["child"] > 0.4 > costs["nothing"]


def test_the_table_shows_ratios_of_what_was_measured() -> None:
    printed = shown(1, 4, 16)
    assert row(printed, "night, all of it") == ["8,000.0", "4,000.0", "2,000.0", "0.50"]
    assert row(printed, "DuckDB, one thread") == ["2,000.0", "2,000.0", "2,000.0", "1.00"]
    assert row(printed, "night / DuckDB") == ["4.0", "2.0", "1.0"]
    assert row(printed, "truth / DuckDB") == ["2.0", "1.0", "0.5"]
    assert "16.0 times the events cost 4.0 times the CPU, slope 0.50" in printed


def test_one_size_has_no_slope() -> None:
    printed = shown(4)
    assert row(printed, "night, all of it") == ["4,000.0", "-"]
    assert "times the events" not in printed


def shown(*sizes: int) -> str:
    """What is printed of nights whose cost grows with the root of their size."""
    steps = {Step.ARCHIVE: 1.0, Step.TRUTH: 4.0, Step.RECONCILE: 2.0, Step.CORRECT: 1.0}
    of = [Measured(n, n * 1_000, 3.0, {step: cost * n**0.5 for step, cost in steps.items()}, 2.0 * n) for n in sizes]
    paper = Console(record=True, width=110)
    show(of, paper)
    return paper.export_text()


def row(printed: str, name: str) -> list[str]:
    """The figures of a row of the table."""
    (line,) = (line for line in printed.splitlines() if name in line and "│" in line)
    return line.replace("│", " ").split(name)[1].split()
