"""The platform of all tests here. Its tree has two views: no death, outage or gap is a view's own."""

from collections.abc import Iterator

import pytest
from fewer import leave_few
from running import VIEWS, Platform
from started import HOMES, PORT_BASE, WORKER, started, stop_all
from tutorial import copied

from infra.settings import ROOT


@pytest.fixture(scope="session")
def platform(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Platform]:
    """With two views, but for a soak, which is of all that there is."""
    is_soak = any(item.get_closest_marker("soak") for item in request.session.items)
    source = ROOT if is_soak else leave_few(copied(tmp_path_factory.mktemp("fewer")), VIEWS)
    with started(HOMES / str(WORKER), PORT_BASE, source) as own:
        yield own


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    """A folder's platform ends with its last test; fixtures of a session end with the last test of all."""
    if nextitem is None or nextitem.path.parent != item.path.parent:
        stop_all()
