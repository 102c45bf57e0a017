"""A night of a day of 75,000 records: CPU and wall, step by step; by hand, through Airflow, and against DuckDB.

Data flow: a day of the shop -> `python -m batch night --curve`, or `daybreak backfill` -> Figure per step
Run: make bench ONLY="night airflow ratio per_view"
"""

import re
import subprocess
import sys
from datetime import UTC, date, datetime
from types import SimpleNamespace

from batch.commands.nights import DAG
from batch.settlement.settlements import SETTLEMENTS
from infra.airflow.client import Airflow
from infra.failures import TransientFailure
from infra.lake import reader
from infra.settings import ROOT
from streaming.views import VIEWS
from tests.bench.bed import Bed
from tests.bench.cpu import Meter
from tests.bench.figure import Figure

SAYS = re.compile(r"^\d\d:\d\d:\d\d (\w+)")
"""A step's line when it is done: its time, its name."""
STORES = ("kafka", "store", "postgres", "stream")
"""What runs all the time, whether there is a night or not."""
FEW = ("order_totals", "order_payments")
"""The views that a night began with, one of each kind."""


def night(bed: Bed, events: int) -> list[Figure]:
    """By hand: the night's own process, its JVM's start included."""
    day, sent = bed.send_day(events)
    bed.drained()
    steps, cpu, wall = timed(bed, day)
    parts = [Figure("night", f"  step {name}", spent, "CPU-s", note=f"{took:.0f} s") for name, spent, took in steps]
    note = f"{sent:,} records, a process that starts"
    return [Figure("night", "by hand, with its curve", cpu, "CPU-s", note=note), *parts,
            Figure("night", "the same, wall", wall, "s")]  # fmt: skip


def timed(bed: Bed, day: date) -> tuple[list[tuple[str, float, float]], float, float]:
    """Run it: (step, CPU seconds, seconds) as its lines come, the first with the start of Spark; all CPU; all seconds."""
    command = [sys.executable, "-m", "batch", "night", "--curve", "--date", str(day)]
    log = bed.settings.home / "logs" / "bench-night.log"
    steps, before = [], (0.0, 0.0)
    with log.open("a") as errors:
        process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=errors, text=True)
        with Meter({"night": process.pid}) as meter:
            assert process.stdout
            for line in process.stdout:
                if said := SAYS.match(line):
                    now = (meter.total(), meter.wall)
                    steps.append((said[1], now[0] - before[0], now[1] - before[1]))
                    before = now
            code = process.wait()
            cpu, wall = meter.total(), meter.wall
    if code:
        raise TransientFailure(f"the night of {day} ended with {code}: see {log}")
    return steps, cpu, wall


def airflow(bed: Bed, events: int) -> list[Figure]:
    """Through Airflow, gold and docs and report included; CPU of Airflow, of what it starts, and of the gateway."""
    bed.run("up")
    sys.path.insert(0, str(ROOT / "tests" / "platform"))
    from running import until
    from schedule import skip_last_night

    skip_last_night(SimpleNamespace(settings=bed.settings))  # type: ignore[arg-type]
    # The first build makes every table of gold, and the gateway warm: the second night is the usual one.
    found = []
    for which in ("first", "usual"):
        day, sent = bed.send_day(events)
        bed.drained()
        # Airflow refuses a second backfill of a DAG until it has closed the first: no part of a night.
        until("the backfill before to be closed", lambda: not Airflow(bed.settings).open_backfills(DAG), 300)
        roots = {name: pid for name, pid in bed.pids().items() if name not in STORES}
        began = datetime.now(UTC)
        with Meter(roots) as meter:
            bed.run("backfill", "--from", str(day), "--to", str(day))
            parts, wall = meter.by_root(), meter.wall
        met = (120.0, 90.0) if which == "usual" else (None, None)
        note = ", ".join(f"{name.removeprefix('airflow-')} {spent:.0f}" for name, spent in parts.items())
        note += f"; days settled: {settled_since(bed, began)}"
        found += [
            Figure("airflow", f"{which} night of {sent:,} records", sum(parts.values()), "CPU-s", met[0], note=note),
            Figure("airflow", "the same, wall", wall, "s", met[1]),
        ]
    return found


def settled_since(bed: Bed, began: datetime) -> int:
    """How many days were settled since: a night also redoes the days before, if its records concern them."""
    rows = reader.read(bed.settings, SETTLEMENTS.id, ["settled_at"]).column("settled_at").to_pylist()
    return sum(at >= began for at in rows)


def ratio(events: int) -> list[Figure]:
    """A night on files against one thread of DuckDB that recomputes the day: `make bench-night` has more of it."""
    from batch.night.steps import Step
    from tests.bench.oracle.run import measured

    one = measured(1, events, seed=1)
    note = f"{one.records:,} events, DuckDB {one.recompute:.1f} CPU-s"
    return [
        Figure("ratio", "night / one thread of DuckDB", one.night / one.recompute, "x", 10, note=note),
        Figure("ratio", "step truth / DuckDB", one.steps[Step.TRUTH] / one.recompute, "x", 4),
    ]


def per_view(events: int) -> list[Figure]:
    """What one more view costs a night on files: that of all views against that of FEW, each in a process that starts."""
    from tests.bench.oracle.run import whole_and_part

    every, few = whole_and_part(events, seed=1, views=FEW)
    note = f"{events:,} events; {len(VIEWS)} views {every:.0f} CPU-s, {len(FEW)} {few:.0f}"
    return [
        Figure("per_view", "one more view, per night", (every - few) / (len(VIEWS) - len(FEW)), "CPU-s", 5, note=note)
    ]
