"""One size of the bench: fill a lake, settle its day, recompute it; each in a process of its own, so that none is warm.

Data flow: events, seed -> a folder with a lake -> Measured; the folder is removed
Run: make bench-night
"""

import os
from collections.abc import Callable, Collection, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from multiprocessing import get_context
from pathlib import Path
from shutil import copytree
from tempfile import TemporaryDirectory
from typing import ParamSpec, TypeVar
from unittest.mock import patch

from batch.archive.tuning import suit_number
from batch.days.day import Day
from batch.night.driver import say, session
from batch.night.steps import Step
from infra.failures import PermanentFailure
from infra.lake import tables
from infra.settings import Settings, settings
from streaming.positions.log import Log
from streaming.views import VIEWS
from tests.bench.oracle import measure
from tests.bench.oracle.cost import spent
from tests.bench.oracle.day import fill, records, shop, write_log
from tests.bench.oracle.recompute import differing, recompute

DAY = Day(date(2026, 1, 30))
P = ParamSpec("P")
R = TypeVar("R")


@dataclass(frozen=True)
class Measured:
    """One size: records in the log, and CPU seconds. `start`: of the night's session, which `night` leaves out."""

    size: int
    records: int
    start: float
    steps: Mapping[Step, float]
    recompute: float

    @property
    def night(self) -> float:
        """CPU seconds of all steps."""
        return sum(self.steps.values())


class OnDisk(Settings):
    """The platform's settings, but with the lake in a folder."""

    @property
    def lake(self) -> str:
        """Root of the lake as Spark writes it."""
        return f"file:{self.home}"


def measured(size: int, events: int, seed: int) -> Measured:
    """Measure a day of about `events` events. Raises PermanentFailure if DuckDB's rows are not the truth's."""
    scratch = settings().home / "tmp"
    scratch.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(prefix="bench-", dir=scratch) as folder:
        home = Path(folder)
        (home / "jars").symlink_to(settings().home / "jars")
        log = _apart(_fill, home, events, seed)
        count = sum(log.end.values())
        say(f"{size}x: a day of {count:,} records is in the log, and in the stream's tables")
        start, steps = _apart(_night, home, log)
        say(f"{size}x: the night has settled it, in {sum(steps.values()):,.0f} s of CPU")
        again, faults = _apart(_recompute, home)
        if faults:
            raise PermanentFailure(f"DuckDB does not find the truth: {' | '.join(faults)}")
        say(f"{size}x: DuckDB has found the same rows, in {again:,.1f} s of CPU")
    return Measured(size, count, start, steps, again)


def whole_and_part(events: int, seed: int, views: Collection[str]) -> tuple[float, float]:
    """CPU seconds of a night with all views, and of the same with these only; each in a process that starts."""
    scratch = settings().home / "tmp"
    scratch.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(prefix="bench-", dir=scratch) as folder:
        whole, part = Path(folder) / "whole", Path(folder) / "part"
        whole.mkdir()
        (whole / "jars").symlink_to(settings().home / "jars")
        log = _apart(_fill, whole, events, seed)
        copytree(whole, part, symlinks=True)
        _, every = _apart(_night, whole, log)
        _, few = _apart(_night_of, part, log, views)
    return sum(every.values()), sum(few.values())


def _night_of(home: Path, log: Log, views: Collection[str]) -> tuple[float, dict[Step, float]]:
    # Of this process, which ends.
    for name in VIEWS.keys() - {*views}:
        del VIEWS[name]
    return _night(home, log)


def _fill(home: Path, events: int, seed: int) -> Log:
    log = write_log(shop(DAY, events, seed), home)
    with _lake_in(home):
        own = session()
        suit_number(own, sum(log.end.values()))
        fill(own, DAY, log, records(own, home))
        own.stop()
    return log


def _night(home: Path, log: Log) -> tuple[float, dict[Step, float]]:
    """CPU seconds of the session's start, and of the steps."""
    costs: dict[str, float] = {}
    with _lake_in(home):
        with spent(costs, "start"):
            own = session()
        steps = measure.night(own, DAY, log, home)
        own.stop()
    return costs["start"], steps


def _recompute(home: Path) -> tuple[float, list[str]]:
    """CPU seconds of DuckDB, and where its rows are not the truth's."""
    costs: dict[str, float] = {}
    out = home / "duckdb"
    out.mkdir()
    with spent(costs, "recompute"):
        recompute(home, DAY, out)
    return costs["recompute"], differing(home, out)


@contextmanager
def _lake_in(home: Path) -> Iterator[None]:
    """This process's state and lake are in a folder, so that no service is asked for anything."""
    # What a cluster's executors spend is not seen from here.
    os.environ |= {"DAYBREAK_HOME": str(home), "DAYBREAK_SPARK_MASTER": "local[2]"}
    own = OnDisk(home=home)
    with patch.object(tables, "settings", lambda: own):
        yield


def _apart(work: Callable[P, R], *args: P.args, **more: P.kwargs) -> R:
    """Do it in a fresh process, which ends."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(work, *args, **more).result()
