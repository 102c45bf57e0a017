"""The platform of this folder has had a day of the shop before its own tests send anything; and one night of Airflow's."""

import pytest
from approval import Story, told
from running import Platform


@pytest.fixture(scope="session", autouse=True)
def shops_day(platform: Platform) -> None:
    """Yesterday in a shop with all its faults, and a live moment; the tests of the other folder may have sent it."""
    if not platform.ledger.exists():
        sizes = ("--days", "1", "--rate", "0.05", "--live", "5", "--malformed", "0.005", "--late", "0.02")
        platform.run("daybreak", "shop", *sizes, "--ledger", str(platform.ledger), "--payloads")
        platform.wait_drained()


@pytest.fixture(scope="session")
def story(shops_day: None, platform: Platform) -> Story:
    """The only backfill."""
    return told(platform)
