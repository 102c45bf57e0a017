"""One real platform for all tests here, in a home of its own, gone without a trace at the end."""

import json
import os
import shutil
from collections.abc import Iterator

import pytest
from running import Platform
from warm import Driver

from infra.services.processes import left_over
from infra.session import FEW_ROWS
from infra.settings import QUICK_JVM, ROOT, load

WORKER = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
"""Number of this process: each has a platform of its own."""
HOME = ROOT / ".daybreak" / "test-home" / str(WORKER)
PORT_BASE = str(int(os.environ.get("DAYBREAK_TEST_PORT_BASE", "31000")) + 20 * WORKER)


@pytest.fixture(scope="session")
def platform() -> Iterator[Platform]:
    """Kafka, MinIO, Postgres and the stream, started by the command that users start them with."""
    # The user's own platform, endpoints and jar settings must not leak into this one.
    theirs = ("DAYBREAK_", "SPARK_")
    env = {name: value for name, value in os.environ.items() if not name.startswith(theirs)}
    # Here a stream lives for minutes, and no table has more than some thousand rows.
    ours = {
        "DAYBREAK_HOME": str(HOME),
        "DAYBREAK_PORT_BASE": PORT_BASE,
        # This tree's code, wherever the environment's own `daybreak` was installed from.
        "PYTHONPATH": str(ROOT),
        "DAYBREAK_STREAM_JVM": QUICK_JVM,
        "DAYBREAK_SPARK_CONF": json.dumps(FEW_ROWS),
        # A day that is read in one micro-batch has nothing late in it.
        "DAYBREAK_MAX_OFFSETS_PER_TRIGGER": "1000",
    }
    env |= ours
    with pytest.MonkeyPatch.context() as patch:
        for name in os.environ.keys() - env.keys():
            patch.delenv(name)
        for name, value in ours.items():
            patch.setenv(name, value)
        own = Platform(load(), env)
        if HOME.exists():
            own.run("daybreak", "down")
            shutil.rmtree(HOME)
        try:
            own.run("daybreak", "up", "--only", "kafka,minio,postgres,stream")
            with Driver(env, HOME / "logs" / "nights.log", ROOT) as driver:
                own = Platform(load(), env, driver)
                patch.setattr("infra.kafka.client.settings", lambda: own.settings)
                yield own
        finally:
            own.run("daybreak", "down")
    assert not left_over(HOME)
