"""Write infra/setup/go/<program>/ anew: the modules of each program that is built of Go, with hashes and licences.

Data flow: Program -> `go get -tool` -> go.mod, go.sum; the modules that the build uses -> modules.txt with their licences
Run: make lock-go
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from infra.installation import STATE
from infra.setup import audit_tools, helm, licence_text, promtool, store
from infra.setup.go_build import Program, ready
from infra.setup.step import SetupFailure, call

PROGRAMS = (store.VERSITYGW, store.MINIO, *helm.PROGRAMS, promtool.PROMTOOL, audit_tools.GOVULNCHECK)
OF_PACKAGE = "{{with .Module}}{{.Path}}\t{{.Version}}\t{{.Dir}}{{end}}"


def lock(program: Program) -> None:
    """Resolve a program's modules, and replace its files. Raises SetupFailure if Go could not."""
    with ready(program) as (go, env), TemporaryDirectory(dir=STATE) as place:
        here = [go, "-C", place]
        oldest = ".".join(map(str, program.oldest_go))
        what = f"resolving the modules of {program.name}"
        call([*here, "mod", "init", f"daybreak/{program.name}"], what, env)
        call([*here, "mod", "edit", f"-go={oldest}.0"], what, env)
        call([*here, "get", "-tool", f"{program.package}@{program.version}"], what, env)
        for module in program.data:
            call([*here, "get", module], what, env)
        listed = [*here, "list", "-deps", *program.tagged, "-f", OF_PACKAGE, program.package]
        said = subprocess.run(listed, env=dict(os.environ) | env, capture_output=True, text=True)
        if said.returncode:
            raise SetupFailure(f"{what} failed: {said.stderr.strip()}")
        program.lock.mkdir(parents=True, exist_ok=True)
        for name in ("go.mod", "go.sum"):
            shutil.copyfile(Path(place) / name, program.lock / name)
        used = sorted({tuple(line.split("\t")) for line in said.stdout.splitlines() if line})
        lines = [f"{path} {version} {_licences(Path(folder))}" for path, version, folder in used]
        (program.lock / "modules.txt").write_text("\n".join(lines) + "\n")


def _licences(folder: Path) -> str:
    return " AND ".join(sorted(licence_text.of_folder(folder))) or "unknown"


def main(wanted: list[str]) -> None:
    """Lock the programs of these names; without names all."""
    for program in PROGRAMS:
        if not wanted or program.name in wanted:
            lock(program)


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except SetupFailure as failure:
        sys.exit(f"daybreak: {failure}")
