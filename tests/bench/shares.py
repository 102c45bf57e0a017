"""Shares on a Spark cluster: what driver and executors spend on a record, and what a second worker gives.

Data flow: a master and one or two workers, each held to the same part of a core -> the middle of a day -> CPU, bytes, records/s
Run: make bench ONLY=cluster

Workers are held by a cgroup (version 1 or 2), which takes root: without it there is no figure for the second worker.
"""

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import psutil

from infra.services.supervisor import Supervisor
from infra.settings import settings
from tests.bench.bed import Bed, until
from tests.bench.cpu import Meter
from tests.bench.figure import Figure
from tests.infra.spark_cluster import Cluster

WARM_UP, RECORDS, BEHIND = 250_000, 60_000, 200_000
"""Of one day: for each worker before anything is measured, since executors compile half as much as they work until then; what is
measured at least; what still waits then."""
SHARE = 0.2
"""Of a core, for each worker while it is measured: both and the driver must have room on two cores."""
PERIOD = 100_000
"""Microseconds over which the kernel counts it."""
CGROUPS = Path("/sys/fs/cgroup")
DRAIN_SECONDS = 1800


@dataclass(frozen=True)
class Drained:
    """Micro-batches: their records, seconds, CPU seconds of driver and executors, bytes that the driver's processes moved."""

    records: int
    seconds: float
    driver: float
    executors: float
    moved: int


def cluster(bed: Bed) -> list[Figure]:
    """Read with one worker and with two, each held to SHARE of a core; and once unheld, for what a record costs."""
    bed.run("down")
    bed.run("up", "--only", "kafka,store,postgres")
    try:
        free = _drained(bed, 2, None)
        held = {number: _drained(bed, number, SHARE) for number in (1, 2)} if _may_hold() else {}
    finally:
        bed.run("up", "--only", "stream")
    whole = free.driver + free.executors
    note = f"{free.records:,} records, two workers of a core each; in all {whole * 1000 / free.records:.2f} ms of CPU a record"
    figures = [
        Figure("cluster", "CPU of the driver / of driver and executors", free.driver / whole, "", 0.1, note=note),
        Figure("cluster", "bytes that the driver reads and writes per record", free.moved / free.records, "bytes"),
    ]
    if held:
        speed = {number: one.records / one.seconds for number, one in held.items()}
        note = f"each held to {SHARE} of a core: {speed[1]:,.0f}/s with one, {speed[2]:,.0f}/s with two"
        figures.append(
            Figure("cluster", "records/s, two workers / one", speed[2] / speed[1], "x", 1.8, least=True, note=note)
        )
    return figures


def _drained(bed: Bed, workers: int, share: float | None) -> Drained:
    """A stream that starts on a cluster, and reads a day: from a micro-batch's commit in its middle to a later one's."""
    with TemporaryDirectory(prefix="bench-cluster-") as folder:
        own = Cluster(Path(folder), bed.settings)
        try:
            pids = {f"worker {number}": own.worker().pid for number in range(workers)}
            bed.send_day(workers * WARM_UP + RECORDS + BEHIND)
            began = datetime.now(UTC)
            with _on(own, workers):
                bed.run("up", "--only", "stream")
            first = _committed(bed, began, workers * WARM_UP)
            with _held(pids, share) if share else nullcontext(), Meter(bed.stream | pids) as meter:
                before = _moved(bed)
                last = _committed(bed, began, first.records + RECORDS)
                spent, moved = meter.by_root(), _moved(bed) - before
            driver = spent.pop("stream")
            seconds = (last.at - first.at).total_seconds()
            return Drained(last.records - first.records, seconds, driver, sum(spent.values()), moved)
        finally:
            Supervisor(bed.settings).stop("stream", wait=True)
            own.stop()


class Commit(NamedTuple):
    """When a micro-batch was committed, and the records read until then."""

    at: datetime
    records: int


def _committed(bed: Bed, since: datetime, records: int) -> Commit:
    """The next micro-batch that is committed when so many records were read."""

    def reached() -> int:
        batches = bed.batches(since)
        return len(batches) if _read(batches) >= records else 0

    before = until("so many records", reached, DRAIN_SECONDS, 2)

    def later() -> list[dict[str, Any]]:
        batches = bed.batches(since)
        return batches if len(batches) > before else []

    batches = until("the next micro-batch", later, DRAIN_SECONDS)
    return Commit(batches[-1]["committed_at"], _read(batches))


def _read(batches: Iterable[Mapping[str, Any]]) -> int:
    """The records that they have read."""
    return sum(one["rows"]["read"] for one in batches)


@contextmanager
def _on(own: Cluster, workers: int) -> Iterator[None]:
    """`daybreak up` starts the stream on the cluster, with so many cores."""
    more = own.of_local_stream() | {"DAYBREAK_STREAM_CONF": f'{{"spark.cores.max": "{workers}"}}'}
    os.environ.update(more)
    settings.cache_clear()
    try:
        yield
    finally:
        for name in more:
            os.environ.pop(name, None)
        settings.cache_clear()


def _moved(bed: Bed) -> int:
    """Bytes that the driver's processes, Python and JVM, have read and written: files, sockets, pipes between them."""
    root, found = psutil.Process(bed.stream["stream"]), 0
    for one in (root, *root.children(recursive=True)):
        with suppress(OSError):
            lines = Path(f"/proc/{one.pid}/io").read_text().splitlines()
            counted = dict(line.split(": ") for line in lines)
            found += int(counted["rchar"]) + int(counted["wchar"])
    return found


def _limit(name: str) -> Path:
    """The file that holds a cgroup to a part of a core, by version."""
    is_second = (CGROUPS / "cgroup.controllers").exists()
    root, file = (CGROUPS, "cpu.max") if is_second else (CGROUPS / "cpu", "cpu.cfs_quota_us")
    return root / f"daybreak-bench-{name.replace(' ', '-')}" / file


def _may_hold() -> bool:
    limit = _limit("try")
    try:
        limit.parent.mkdir(exist_ok=True)
        return limit.exists()
    except OSError:
        return False
    finally:
        with suppress(OSError):
            limit.parent.rmdir()


@contextmanager
def _held(pids: Mapping[str, int], share: float) -> Iterator[None]:
    """Each worker, with its executors, in a cgroup of its own."""
    folders = []
    try:
        for name, pid in pids.items():
            limit = _limit(name)
            limit.parent.mkdir(exist_ok=True)
            folders.append(limit.parent)
            quota = str(round(share * PERIOD))
            limit.write_text(f"{quota} {PERIOD}" if limit.name == "cpu.max" else quota)
            root = psutil.Process(pid)
            for one in (root, *root.children(recursive=True)):
                (limit.parent / "cgroup.procs").write_text(str(one.pid))
        yield
    finally:
        for folder in folders:
            _left(folder)


def _left(folder: Path) -> None:
    """Its processes go back to the group above it, and it is gone."""
    with suppress(OSError):
        for pid in (folder / "cgroup.procs").read_text().split():
            with suppress(OSError):
                (folder.parent / "cgroup.procs").write_text(pid)
        folder.rmdir()
