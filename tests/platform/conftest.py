"""One real platform for all tests here, in a home of its own, gone without a trace at the end."""

import os
import shutil
from collections.abc import Iterator

import pytest
from running import Platform
from warm import Driver

from infra.services.processes import left_over
from infra.settings import QUICK_JVM, ROOT, load

WORKER = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
"""Number of this process: each has a platform of its own."""
HOME = ROOT / ".daybreak" / "test-home" / str(WORKER)
PORT_BASE = str(int(os.environ.get("DAYBREAK_TEST_PORT_BASE", "31000")) + 20 * WORKER)


@pytest.fixture(scope="session")
def platform() -> Iterator[Platform]:
    """Kafka, MinIO, Postgres and the stream, started by the command that users start them with."""
    # The user's own platform, endpoints and jar settings must not leak into this one.
    env = {name: value for name, value in os.environ.items() if not name.startswith(("DAYBREAK_", "SPARK_"))}
    env |= {"DAYBREAK_HOME": str(HOME), "DAYBREAK_PORT_BASE": PORT_BASE}
    # Here a stream lives for minutes.
    env |= {"DAYBREAK_STREAM_JVM": QUICK_JVM}
    with pytest.MonkeyPatch.context() as patch:
        for name in os.environ.keys() - env.keys():
            patch.delenv(name)
        for name in ("DAYBREAK_HOME", "DAYBREAK_PORT_BASE", "DAYBREAK_STREAM_JVM"):
            patch.setenv(name, env[name])
        own = Platform(load(), env)
        if HOME.exists():
            own.run("daybreak", "down")
            shutil.rmtree(HOME)
        try:
            own.run("daybreak", "up", "--only", "kafka,minio,postgres,stream")
            with Driver(env, HOME / "logs" / "nights.log", ROOT) as driver:
                own = Platform(load(), env, driver)
                patch.setattr("infra.send.settings", lambda: own.settings)
                yield own
        finally:
            own.run("daybreak", "down")
    assert not left_over(HOME)
