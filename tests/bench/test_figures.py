"""What the bench says of a figure, and that it sees what a process spent that has ended."""

import subprocess
import sys
import time
from pathlib import Path

import pytest
from rich.console import Console

from tests.bench.cpu import Meter, memory
from tests.bench.figure import Figure, save, show

BUSY = "import time; end = time.process_time() + 1\nwhile time.process_time() < end: pass"


@pytest.mark.parametrize(
    ("figure", "ratio"),
    [
        (Figure("a", "at most", 2.0, "s", 1.0), 2.0),
        (Figure("a", "at least", 500, "/s", 1000, least=True), 2.0),
        (Figure("a", "at least, none at all", 0, "/s", 1000, least=True), float("inf")),
        (Figure("a", "met", 0.5, "s", 1.0), 0.5),
        (Figure("a", "nothing asked", 0.5, "s"), None),
    ],
    ids=lambda one: one.what if isinstance(one, Figure) else "",
)
def test_a_ratio_above_one_is_worse_than_it_must_be(figure: Figure, ratio: float | None) -> None:
    assert figure.ratio == ratio


def test_a_figure_is_shown_and_kept_beside_what_it_must_be(tmp_path: Path) -> None:
    figures = [Figure("drain", "CPU per record", 0.05, "ms", 0.1), Figure("drain", "records", 6000, "/s", 12000, True)]
    page = Console(record=True, width=110)
    show(figures, page)
    text = page.export_text()
    for word in ("0.0500 ms", "<= 0.10", "0.5x", "6,000 /s", ">= 12,000", "2.0x"):
        assert word in text
    save(figures, tmp_path / "figures.jsonl")
    assert (tmp_path / "figures.jsonl").read_text().count('"ratio":') == 2


def test_the_cpu_of_a_process_and_its_ended_child_is_counted() -> None:
    child = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {BUSY!r}])"
    process = subprocess.Popen([sys.executable, "-c", f"{child}\nimport time; time.sleep(60)"])
    try:
        with Meter({"it": process.pid}) as meter:
            give_up = time.monotonic() + 60
            while meter.by_root()["it"] < 0.4:
                assert time.monotonic() < give_up
                time.sleep(0.1)
        assert meter.total() >= 0.4
        resident, proportional = memory({"it": process.pid})["it"]
        assert 0 < proportional <= resident
    finally:
        process.kill()
        process.wait()


def test_what_was_spent_before_is_not_counted() -> None:
    process = subprocess.Popen([sys.executable, "-c", f"{BUSY}\nprint(1, flush=True); time.sleep(60)"], stdout=-1)
    try:
        assert process.stdout
        process.stdout.readline()
        with Meter({"it": process.pid}) as meter:
            pass
        assert meter.total() < 0.4
    finally:
        process.kill()
        process.wait()
