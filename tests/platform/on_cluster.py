"""A platform's stream on a Spark cluster, for the length of a block.

Data flow: Platform, Cluster -> `daybreak up` with the cluster's settings -> the same stream, its tasks in executors
Run: pytest tests/platform/test_03_worker.py
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from running import Platform
from spark_cluster import Cluster

STREAM = "daybreak stream"
"""Its name as an application."""


@dataclass(frozen=True)
class OnCluster:
    """A platform and the cluster that it runs on."""

    platform: Platform
    cluster: Cluster


@contextmanager
def on_cluster(platform: Platform, folder: Path, workers: int) -> Iterator[Cluster]:
    """A cluster of one core a worker, which runs the stream."""
    cluster = Cluster(folder, platform.settings)
    try:
        for _ in range(workers):
            cluster.worker()
        replace(platform, env=platform.env | cluster.of_local_stream()).run("daybreak", "up", "--only", "stream")
        yield cluster
    finally:
        # With its own settings again.
        platform.run("daybreak", "up", "--only", "stream")
        cluster.stop()
