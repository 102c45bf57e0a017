"""A real platform in a home of its own, started by the command that users start theirs with, gone without a trace at the end.

Data flow: a tree -> `daybreak up` in a fresh home -> Platform, and the environment of this process
Run: pytest tests/platform
"""

import json
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from running import Platform
from warm import Driver

from infra import owner_only
from infra.jvm import LARGE_YOUNG, ONE_COMPILER
from infra.services.processes import left_over
from infra.settings import ROOT, load, settings
from infra.spark_conf import FEW_ROWS

WORKER = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
"""Number of this process: each has platforms of its own."""
HOMES = ROOT / ".daybreak" / "test-home"
PORT_BASE = int(os.environ.get("DAYBREAK_TEST_PORT_BASE", "31000")) + 20 * WORKER
PLACES = (200, 400, 600, 700, 800, 900)
SERVED_PORTS, COPY_PORTS, SHOP_DB_PORTS, DOOR_PORTS, ORDER_PORTS, CLUSTER_PORTS = (
    PORT_BASE + place for place in PLACES
)
"""Of the other platforms that one process may have at once."""
CORE = "kafka,store,postgres,stream"
RUNNING: list[tuple[Platform, ExitStack]] = []
"""Each with what it changed in this process."""


@contextmanager
def for_its_owner() -> Iterator[None]:
    """What the tests themselves put into a home is their owner's alone; what they start begins with a usual umask (`begin`)."""
    before = os.umask(owner_only.UMASK)
    try:
        yield
    finally:
        os.umask(before)


def stop_all() -> None:
    """Stop the platforms of this process: what idles takes a tenth of two cores, which others need. Whatever tests this process
    runs next, they find it as it was before."""
    while RUNNING:
        own, changed = RUNNING.pop()
        own.run("daybreak", "down")
        changed.close()
        settings.cache_clear()


@contextmanager
def started(
    home: Path, port_base: int, source: Path, more: Mapping[str, str] | None = None, only: str = CORE
) -> Iterator[Platform]:
    """Some programs of a tree's code, until the end of the block; `more` are further settings."""
    # The user's own platform, endpoints and jar settings must not leak into this one.
    theirs = ("DAYBREAK_", "SPARK_")
    env = {name: value for name, value in os.environ.items() if not name.startswith(theirs)}
    # Here a stream lives for a minute, and no table has more than some thousand rows.
    ours = {
        "DAYBREAK_HOME": str(home),
        "DAYBREAK_PORT_BASE": str(port_base),
        # This tree's code, wherever the environment's own `daybreak` was installed from.
        "PYTHONPATH": str(source),
        "DAYBREAK_STREAM_JVM": f"{ONE_COMPILER} {LARGE_YOUNG}",
        "DAYBREAK_SPARK_CONF": json.dumps(FEW_ROWS),
        # A day that is read in one micro-batch has nothing late in it.
        "DAYBREAK_MAX_OFFSETS_PER_TRIGGER": "1000",
    }
    ours |= more or {}
    env |= ours
    with ExitStack() as changed:
        patch = changed.enter_context(pytest.MonkeyPatch.context())
        changed.enter_context(for_its_owner())
        for name in os.environ.keys() - env.keys():
            patch.delenv(name)
        for name, value in ours.items():
            patch.setenv(name, value)
        # Another platform's tests may have read theirs, and they are kept.
        settings.cache_clear()
        own = Platform(load(), env, source=source)
        if home.exists():
            own.run("daybreak", "down")
            shutil.rmtree(home)
        try:
            own.run("daybreak", "up", "--only", only)
            with Driver(env, home / "logs" / "nights.log", source) as driver:
                own = Platform(load(), env, driver, source)
                patch.setattr("infra.kafka.client.settings", lambda: own.settings)
                RUNNING.append((own, changed))
                yield own
        finally:
            own.run("daybreak", "down")
    assert not left_over(home)
