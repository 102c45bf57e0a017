"""The platform of all tests here. Its tree has fewer views: no death, outage or gap is a view's own. That of served/ has all."""

from collections.abc import Iterator

import pytest
from fewer import leave_few
from running import VIEWS, Platform
from started import HOMES, PORT_BASE, WORKER, started
from tutorial import copied

from infra.settings import ROOT


@pytest.fixture(scope="session")
def platform(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Platform]:
    """With two views, but for a soak, which is of all that there is."""
    is_soak = any(item.get_closest_marker("soak") for item in request.session.items)
    source = ROOT if is_soak else leave_few(copied(tmp_path_factory.mktemp("fewer")), VIEWS)
    with started(HOMES / str(WORKER), PORT_BASE, source) as own:
        yield own
