"""The platform of this folder, whose folders are moved onto small disks; a soak's, so that it costs nothing else."""

from collections.abc import Iterator

import pytest
from fewer import leave_few
from running import VIEWS, Platform
from started import HOMES, PORT_BASE, WORKER, started
from tutorial import copied


@pytest.fixture(scope="session")
def platform(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Platform]:
    source = leave_few(copied(tmp_path_factory.mktemp("disks")), VIEWS)
    with started(HOMES / f"disks-{WORKER}", PORT_BASE + 1100, source) as own:
        yield own
