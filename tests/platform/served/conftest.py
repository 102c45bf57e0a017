"""The platform of this folder serves two views, has a day of the shop before its tests send anything, and one backfill."""

from collections.abc import Iterator

import pytest
from again import Again, told_again
from approval import Story, told
from fewer import SERVED, leave_few
from running import Platform
from started import HOMES, SERVED_PORTS, WORKER, started
from tutorial import copied, python


@pytest.fixture(scope="session")
def platform(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Platform]:
    """Of a copy of this tree with two views: five nights and four builds of all would take as long as all other
    tests. Every view has a night and gold in tests/bench/oracle and tests/dbt; all of them on a platform are `make demo`."""
    source = leave_few(copied(tmp_path_factory.mktemp("served")), SERVED)
    made = python(source, "-m", "batch.catalog")
    assert made.returncode == 0, made.stderr
    few_rows = {"DAYBREAK_GATEWAY_READER_ROWS": "20000"}
    with started(HOMES / f"served-{WORKER}", SERVED_PORTS, source, few_rows) as own:
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


@pytest.fixture(scope="session")
def again(story: Story) -> Again:
    """The day that the backfill asked about, corrected once more."""
    return told_again(story.platform)
