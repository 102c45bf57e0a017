"""Age and size: the same live minute and the same night on a lake with thousands of commits per table; one more view.

Data flow: commits without rows into the log of every table of the stream -> freshness and night again -> ratios
Run: make bench ONLY=age AGE=50000

A commit without rows is a file in `_delta_log`, which is what listings grow by; the data files of a lake that age are
compacted by its upkeep. The last of them is checkpointed, and those go that the stream's upkeep would have removed: it keeps
half an hour of them and looks every ten minutes, so at a commit per second there are KEPT.
"""

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import date
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory

from minio.deleteobjects import DeleteObject

from infra.failures import TransientFailure
from infra.lake import reader
from infra.lake.login import act_as
from infra.lake.s3 import client
from infra.services.supervisor import Supervisor
from infra.settings import ROOT
from infra.store_users import User
from streaming.views import VIEWS
from tests.bench.bed import CORE, Bed, until
from tests.bench.figure import Figure
from tests.bench.night import timed
from tests.bench.stream import fresh

EVENTS = 20_000
"""Of a day whose night is compared: what grows with age does not depend on it."""
MORE = 12
KEPT = 2_400
RATE = 50.0


def age(bed: Bed, commits: int) -> list[Figure]:
    """Freshness and night before and after so many commits per table of the stream."""
    # The first night settles one day, every later one two: its own, and the day before with what came late.
    timed(bed, _sent(bed))
    before = _looked_at(bed)
    Supervisor(bed.settings).stop("stream", wait=True)
    tables = ["bronze/events", "silver/events", "silver/quarantine", "speed/progress", *(f"speed/{v}" for v in VIEWS)]
    for table in tables:
        _grow_old(bed, table, commits)
    bed.run("up", "--only", CORE)
    after = _looked_at(bed)
    note = f"{commits:,} commits more in each of {len(tables)} tables, without rows"
    return [
        Figure("age", f"{what}: old lake / new lake", after[what] / before[what], "x", 1.2, note=f"{after[what]:.1f}; {note}")
        for what in before
    ]  # fmt: skip


def _looked_at(bed: Bed) -> dict[str, float]:
    _, cpu, wall = timed(bed, _sent(bed))
    figures = {one.what: one.value for one in fresh(bed, RATE) if one.what.endswith(("p50", "cores"))}
    return figures | {"night, CPU-s": cpu, "night, s": wall}


def _sent(bed: Bed) -> date:
    """A day that the stream has read."""
    day, _ = bed.send_day(EVENTS)
    bed.drained()
    return day


def _grow_old(bed: Bed, table: str, commits: int) -> None:
    """Put the commits behind the newest, side by side, and a checkpoint of the last."""
    act_as(User.STREAM)
    store, s = client(bed.settings), bed.settings
    newest = reader.delta(s, table).version()
    line = json.dumps({"commitInfo": {"timestamp": 0, "operation": "WRITE", "operationParameters": {}}}).encode()

    def put(version: int) -> None:
        name = f"{table}/_delta_log/{version:020}.json"
        store.put_object(s.bucket, name, BytesIO(line), len(line))

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(put, range(newest + 1, newest + 1 + commits)))
    reader.delta(s, table).create_checkpoint()
    gone = (
        DeleteObject(f"{table}/_delta_log/{version:020}.json") for version in range(newest + 1 + max(commits - KEPT, 0))
    )
    if failed := list(store.remove_objects(s.bucket, gone)):
        raise TransientFailure(f"{table}: old entries of its log were not removed: {failed[0]}")


def views(bed: Bed) -> list[Figure]:
    """What one more view costs the stream: a copy of the tree with twelve more, at 50 and at 500 events a second."""
    few = _cores(fresh(bed, RATE))
    with TemporaryDirectory() as folder, _deployed(bed, _with_more(Path(folder))):
        figures = fresh(bed, RATE, label="views")
        many = _cores(figures)
        figures += fresh(bed, 10 * RATE, label="views")
    share = (many - few) / MORE
    total = len(VIEWS) + MORE
    return [Figure("views", "one more view, live at 50/s", share, "cores", 0.03, note=f"{total} views"), *figures]


def _cores(figures: list[Figure]) -> float:
    return next(one.value for one in figures if one.unit == "cores")


def _with_more(folder: Path) -> Path:
    for package in ("batch", "infra", "streaming"):
        shutil.copytree(ROOT / package, folder / package, ignore=shutil.ignore_patterns("__pycache__"))
    registry = folder / "streaming" / "views" / "__init__.py"
    more = (
        "from dataclasses import replace\n\n"
        f"_MORE = (replace(ORDER_TOTALS, name=f'order_totals_{{n}}') for n in range({MORE}))\n"
        "VIEWS |= {view.name: view for view in _MORE}\n"
    )
    registry.write_text(registry.read_text() + more)
    return folder


@contextmanager
def _deployed(bed: Bed, source: Path) -> Iterator[None]:
    """The stream of another source in the place of the platform's own, rebuilt there and back."""
    Supervisor(bed.settings).stop("stream", wait=True)
    _rebuilt(source)
    log = bed.settings.home / "logs" / "bench-views.log"
    with log.open("w") as output:
        python = {"cwd": source, "stdout": output, "stderr": output, "start_new_session": True}
        process = subprocess.Popen([sys.executable, "-m", "streaming"], **python)  # type: ignore[call-overload]
    own = type(bed).stream
    try:
        state = bed.settings.home / "run" / "stream.json"
        until("the stream with more views", lambda: json.loads(state.read_text())["pid"] == process.pid, 300)
        until("it to run", lambda: json.loads(state.read_text())["state"] == "running", 300)
        type(bed).stream = property(lambda self: {"stream": process.pid})  # type: ignore[assignment,method-assign]
        yield
    finally:
        type(bed).stream = own  # type: ignore[method-assign]
        process.terminate()
        process.wait(timeout=120)
        _rebuilt(ROOT)
        bed.run("up", "--only", CORE)


def _rebuilt(source: Path) -> None:
    done = subprocess.run([sys.executable, "-m", "streaming", "rebuild"], cwd=source, capture_output=True, text=True)
    if done.returncode:
        raise TransientFailure(f"the rebuild ended with {done.returncode}: {done.stderr[-1000:]}")
