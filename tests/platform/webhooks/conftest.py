"""The platform of this folder takes webhooks; a soak's, so that it costs nothing else."""

from collections.abc import Iterator

import pytest
from fewer import leave_few
from running import VIEWS, Platform
from started import CORE, HOMES, PORT_BASE, WORKER, started
from tutorial import copied

SETTINGS = {"DAYBREAK_OPTIONS": "webhooks", "DAYBREAK_MAX_OFFSETS_PER_TRIGGER": "20000"}


@pytest.fixture(scope="session")
def platform(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Platform]:
    source = leave_few(copied(tmp_path_factory.mktemp("webhooks")), VIEWS)
    with started(HOMES / f"webhooks-{WORKER}", PORT_BASE + 1000, source, SETTINGS, f"{CORE},webhooks") as own:
        yield own
