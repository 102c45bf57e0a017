"""The Python environment, from the hashed lock: first its installer, which other steps use too, then the packages.

Data flow: infra/requirements.lock -> `.venv/` with every package and the command `daybreak`
Run: python3 -m infra.setup python
"""

import os
import sys
from pathlib import Path

from infra.setup.step import ROOT, STATE, VENV, SetupFailure, Step, call, digest

HERE = Path(__file__).parent
LOCK = ROOT / "infra" / "requirements.lock"
TOOLS = STATE / "tools" / "uv"
UV = TOOLS / "bin" / "uv"
COMMAND = VENV / "bin" / "daybreak"

LAUNCHER = """\
#!{python}
import sys

from batch.commands import main

sys.exit(main())
"""


def _installer_from() -> str:
    # The paths are part of it: the scripts of an environment name its folder, so a moved clone needs a new one.
    return digest(HERE / "uv.txt", sys.version, str(VENV))


def _install_installer() -> None:
    if VENV.is_symlink():
        raise SetupFailure(
            f"{VENV} is a link, and would be emptied for all that use it; remove the link and set up again"
        )
    call([sys.executable, "-m", "venv", "--clear", VENV], "making the virtual environment")
    # Beside the environment, not in it: `uv pip sync` removes whatever the lock does not name, uv itself included.
    quietly = ["--disable-pip-version-check", "--quiet", "--no-cache-dir", "--require-hashes", "--upgrade"]
    python = VENV / "bin" / "python"
    call([python, "-m", "pip", "install", *quietly, "--target", TOOLS, "-r", HERE / "uv.txt"], "installing uv")


def _install() -> None:
    python = VENV / "bin" / "python"
    env = {
        "UV_CACHE_DIR": str(STATE / "cache" / "uv"),
        "UV_NO_CONFIG": "1",
        "UV_HTTP_TIMEOUT": "180",
        "VIRTUAL_ENV": str(VENV),
    }
    if "PIP_CERT" in os.environ:
        env["SSL_CERT_FILE"] = os.environ["PIP_CERT"]
    hashed = ["--require-hashes", "--build-constraints", HERE / "build.txt", LOCK]
    call([UV, "pip", "sync", *hashed], "installing the Python packages", env)
    # A path file and a launcher in place of an editable install: no build backend to fetch and to pin.
    for packages in VENV.glob("lib/python*/site-packages"):
        (packages / "daybreak.pth").write_text(f"{ROOT}\n")
    COMMAND.write_text(LAUNCHER.format(python=python))
    COMMAND.chmod(0o755)


def unpack(requirements: Path, folder: Path, what: str, *more: str) -> None:
    """Put what hashed requirements name into a folder of its own, beside the environment; `more` are options of uv."""
    unshared = ["--no-config", "--no-cache", "--require-hashes", *more]
    into = ["--python", VENV / "bin" / "python", "--target", folder]
    call([UV, "pip", "install", *unshared, *into, "-r", requirements], what)


INSTALLER = Step(
    name="venv",
    says="A virtual environment in .venv, and uv, which installs packages",
    stamp=VENV / "daybreak-venv-stamp",
    made_from=_installer_from,
    install=_install_installer,
    complete=lambda: UV.is_file() and (VENV / "bin" / "python").exists(),
)
STEP = Step(
    name="python",
    says="Python packages into .venv, from infra/requirements.lock (half a minute)",
    stamp=VENV / "daybreak-stamp",
    made_from=lambda: digest(LOCK, HERE / "build.txt", _installer_from(), LAUNCHER),
    install=_install,
    complete=lambda: COMMAND.is_file() and (VENV / "bin" / "pytest").is_file(),
    after=INSTALLER.name,
)
