"""A second stream is refused, a lost checkpoint is refused with the way out, and the way out leads back."""

import pytest
from accounting import unaccounted
from running import Platform
from traffic import burst
from truth_check import misspoken

from infra.failures import PERMANENT_EXIT

pytestmark = pytest.mark.platform


def test_a_second_stream_is_refused(platform: Platform) -> None:
    second = platform.run("streaming", check=False)
    assert second.returncode == PERMANENT_EXIT
    assert "another process holds the lease" in second.stderr


def test_a_lost_checkpoint_is_refused_and_rebuilt(platform: Platform) -> None:
    place = "ingest.after-silver"
    platform.hold(place)
    platform.send(burst(51))
    platform.reached(place)
    # The worst moment: a micro-batch is in silver, and no progress and no checkpoint know it.
    platform.kill("stream")
    platform.supervisor().stop("stream", wait=True)
    platform.release(place)
    checkpoints = platform.settings.home / "checkpoints"
    checkpoints.rename(checkpoints.with_name("checkpoints.lost"))

    refused = platform.run("streaming", check=False)
    assert refused.returncode == PERMANENT_EXIT
    assert "python -m streaming rebuild" in refused.stderr

    assert "resumes at" in platform.run("streaming", "rebuild").stdout
    platform.supervisor().begin("stream")
    platform.send(burst(52))
    platform.wait_drained()
    assert unaccounted(platform) == []
    assert misspoken(platform) == []
