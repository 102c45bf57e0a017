"""Stream, night and gateway at once on two cores of a cluster; a worker and a broker die under load, and nothing is lost."""

import os
import time
from datetime import UTC, datetime, timedelta

import pytest
from accounting import unaccounted
from brokers import dead, micro_batch
from on_cluster import STREAM, OnCluster
from running import until
from traffic import load
from truth_check import misspoken, untrue

pytestmark = [pytest.mark.platform, pytest.mark.soak, pytest.mark.timeout(2 * 3600)]

SEED = int(os.environ.get("DAYBREAK_SOAK_SEED", time.time_ns() % 1_000_000))
DAY = datetime.now(UTC).date() - timedelta(days=1)
NIGHT, GATEWAY = "daybreak night", "gateway"


def test_three_share_two_cores_and_a_worker_dies_with_a_broker(both: OnCluster) -> None:
    platform, cluster = both.platform, both.cluster
    print(f"DAYBREAK_SOAK_SEED={SEED}")
    assert platform.settings.checkpoints == f"{platform.settings.lake}/checkpoints"
    sizes = ("--days", "1", "--rate", "0.05", "--seed", str(SEED), "--ledger", str(platform.ledger), "--payloads")
    platform.run("daybreak", "shop", *sizes)
    platform.wait_drained()
    with load(platform, SEED):
        night = platform.begin("batch", "night", "--date", str(DAY))
        until("all three have asked for a share", lambda: {STREAM, NIGHT, GATEWAY} <= cluster.holds().keys())
        until("the night has its core", lambda: cluster.holds().get(NIGHT) == 1)
        assert cluster.holds() == {STREAM: 1, NIGHT: 1, GATEWAY: 0}
        counted = platform.begin("daybreak", "query", "SELECT count(*) AS n FROM range(1000)")
        said, wrong = night.communicate(timeout=3600)
        assert night.returncode == 0, said + wrong[-3000:]
        # It has had its turn.
        said, wrong = counted.communicate(timeout=600)
        assert "1000" in said, said + wrong[-3000:]
        with dead(platform, 2):
            cluster.kill(STREAM)
            before = micro_batch(platform)
            cluster.worker()
            until("the stream has a core again", lambda: cluster.holds().get(STREAM) == 1)
            until("the stream goes on with two brokers", lambda: micro_batch(platform) > before, 600)
    platform.wait_drained()
    assert unaccounted(platform) == []
    assert misspoken(platform) == []
    assert untrue(platform, [DAY]) == []


def test_a_night_whose_worker_dies_is_true_the_second_time(both: OnCluster) -> None:
    platform, cluster = both.platform, both.cluster
    night = platform.begin("batch", "night", "--date", str(DAY), "--full")
    until("the night has its core", lambda: cluster.holds().get(NIGHT) == 1)
    cluster.kill(NIGHT)
    cluster.worker()
    night.communicate(timeout=3600)
    platform.run("batch", "night", "--date", str(DAY))
    assert untrue(platform, [DAY]) == []
    assert unaccounted(platform) == []
