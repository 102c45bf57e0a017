"""The platform of this folder has clocks that can be set: the broker's, and that of all others. A soak's."""

import shutil
import struct
import subprocess
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from fewer import leave_few
from running import VIEWS, Platform
from started import HOMES, PORT_BASE, WORKER, started
from tutorial import copied

SOURCE = Path(__file__).with_name("skew.c")
Set = Callable[[str, timedelta], None]


@pytest.fixture(scope="session")
def skew(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with the library, and a file for each clock."""
    if not (compiler := shutil.which("gcc")):
        pytest.skip("there is no gcc to compile tests/platform/clocks/skew.c with")
    folder = tmp_path_factory.mktemp("skew")
    subprocess.run(
        [compiler, "-O2", "-shared", "-fPIC", "-o", folder / "skew.so", SOURCE, "-ldl", "-lpthread"], check=True
    )
    return folder


@pytest.fixture(scope="session")
def set_clock(skew: Path) -> Set:
    """Let `broker` or `rest` be wrong by so much, from now on."""

    def by(who: str, wrong: timedelta) -> None:
        with (skew / who).open("r+b" if (skew / who).exists() else "w+b") as file:
            file.write(struct.pack("q", round(wrong.total_seconds() * 1000)))

    for who in ("broker", "rest"):
        by(who, timedelta())
    return by


@pytest.fixture(scope="session")
def platform(tmp_path_factory: pytest.TempPathFactory, skew: Path, set_clock: Set) -> Iterator[Platform]:
    source = leave_few(copied(tmp_path_factory.mktemp("clocks")), VIEWS)
    own = {"LD_PRELOAD": str(skew / "skew.so"), "DAYBREAK_SKEW": str(skew)}
    with started(HOMES / f"clocks-{WORKER}", PORT_BASE + 1200, source, own) as running:
        yield running
