"""The platform of this folder has TLS; a soak's, so that it costs nothing else."""

from collections.abc import Iterator

import pytest
from fewer import SERVED, leave_few
from running import Platform
from started import HOMES, PORT_BASE, WORKER, started
from tutorial import copied, python


@pytest.fixture(scope="session")
def platform(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Platform]:
    source = leave_few(copied(tmp_path_factory.mktemp("tls")), SERVED)
    made = python(source, "-m", "batch.catalog")
    assert made.returncode == 0, made.stderr
    with started(HOMES / f"tls-{WORKER}", PORT_BASE + 1200, source, {"DAYBREAK_TLS": "on"}) as own:
        yield own
