"""`kill -9` of the worker that runs the stream's tasks, under load: the other takes over, nothing is lost or doubled."""

from pathlib import Path

import pytest
from accounting import unaccounted
from on_cluster import STREAM, on_cluster
from running import Platform, until
from traffic import burst, load
from truth_check import misspoken

pytestmark = [pytest.mark.platform, pytest.mark.soak]


def test_a_worker_dies_under_load_and_the_other_takes_over(platform: Platform, tmp_path: Path) -> None:
    with on_cluster(platform, tmp_path, workers=2) as cluster:
        pid = platform.status("stream")["pid"]
        with load(platform, 301):
            platform.send(burst(302))
            until("the stream has a core", lambda: cluster.holds() == {STREAM: 1})
            cluster.kill(STREAM)
            platform.send(burst(303))
        platform.wait_drained()
        assert cluster.holds() == {STREAM: 1}
        # The driver has seen it as a few tasks to run again.
        assert platform.status("stream")["pid"] == pid
    assert unaccounted(platform) == []
    assert misspoken(platform) == []
