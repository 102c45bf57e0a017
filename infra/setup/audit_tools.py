"""What writes the bills of materials and asks for advisories, apart from the platform: Python tools, and Go's with its data.

Data flow: infra/setup/audit_tools.txt -> `.daybreak/tools/audit`; infra/setup/go/govulncheck -> `.daybreak/bin/govulncheck`
Run: make audit
"""

import os
import shutil
import subprocess
from pathlib import Path

from infra.installation import STATE, VENV
from infra.setup.environment import INSTALLER, UV
from infra.setup.go_build import BIN, Program, install, ready
from infra.setup.step import SetupFailure, Step, call, digest

LOCK = Path(__file__).with_name("audit_tools.txt")
TOOLS = STATE / "tools" / "audit"
PYTHON = TOOLS / "bin" / "python"

DATABASE_MODULE = "golang.org/x/vulndb"
DATABASE_VERSION = "v0.0.0-20261105234957-e22db6528018"
"""Go's database of advisories as of this version's date, which is asked where the newest one cannot be reached."""
DATABASE = STATE / "tools" / "vulndb"
GOVULNCHECK = Program(
    "golang.org/x/vuln/cmd/govulncheck", "v1.9.0", (1, 26), (f"{DATABASE_MODULE}@{DATABASE_VERSION}",)
)


def _install_python() -> None:
    shutil.rmtree(TOOLS, ignore_errors=True)
    call([UV, "venv", "--quiet", "--no-config", "--python", VENV / "bin" / "python", TOOLS], "making a place for tools")
    unshared = ["--no-config", "--no-cache", "--require-hashes"]
    call([UV, "pip", "sync", "--quiet", *unshared, "--python", PYTHON, LOCK], "installing the tools of the audit")


def _install_go() -> None:
    install(GOVULNCHECK)
    with ready(GOVULNCHECK) as (go, env):
        # Without a go.sum that names the module's hash it would be asked of a server; with one, another content is refused.
        where = [go, "-C", str(GOVULNCHECK.lock), "list", "-mod=readonly", "-m", "-f", "{{.Dir}}", DATABASE_MODULE]
        call([go, "-C", GOVULNCHECK.lock, "mod", "download", DATABASE_MODULE], "fetching Go's advisories", env)
        said = subprocess.run(where, env=dict(os.environ) | env, capture_output=True, text=True)
        advisories = Path(said.stdout.strip()) / "data" / "osv"
        if said.returncode or not advisories.is_dir():
            raise SetupFailure(f"{DATABASE_MODULE} has no advisories in data/osv; {said.stderr.strip()}")
        shutil.rmtree(DATABASE, ignore_errors=True)
        shutil.copytree(advisories, DATABASE)


STEP = Step(
    name="audit-tools",
    says="The tools of `make sbom` and `make audit` into .daybreak/tools/audit (some seconds)",
    stamp=TOOLS / "stamp",
    made_from=lambda: digest(LOCK, str(VENV)),
    install=_install_python,
    complete=lambda: (TOOLS / "bin" / "cyclonedx-py").is_file(),
    after=INSTALLER.name,
)
GO_STEP = Step(
    name="govulncheck",
    says="govulncheck and Go's advisories into .daybreak (25 MB, a minute)",
    stamp=BIN / "govulncheck-stamp",
    made_from=GOVULNCHECK.said,
    install=_install_go,
    complete=lambda: os.access(GOVULNCHECK.binary, os.X_OK) and DATABASE.is_dir(),
    after=INSTALLER.name,
)
