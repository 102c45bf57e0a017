"""The platform of this folder has every view, a day of the shop before its tests send anything, and one night of Airflow's."""

from collections.abc import Iterator

import pytest
from approval import Story, told
from running import Platform
from started import HOMES, SERVED_PORTS, WORKER, started

from infra.settings import ROOT


@pytest.fixture(scope="session")
def platform() -> Iterator[Platform]:
    """Of this very tree."""
    with started(HOMES / f"served-{WORKER}", SERVED_PORTS, ROOT) as own:
        yield own


@pytest.fixture(scope="session", autouse=True)
def shops_day(platform: Platform) -> None:
    """Yesterday in a shop with all its faults, and a live moment."""
    sizes = ("--days", "1", "--rate", "0.05", "--live", "5", "--malformed", "0.005", "--late", "0.02")
    platform.run("daybreak", "shop", *sizes, "--ledger", str(platform.ledger), "--payloads")
    platform.wait_drained()


@pytest.fixture(scope="session")
def story(shops_day: None, platform: Platform) -> Story:
    """The only backfill."""
    return told(platform)
