"""The Python environment, from the hashed lock: first its installer, which other steps use too, then the packages.

Data flow: infra/requirements.lock -> `.venv/` with every package and the command `daybreak`
Run: python3 -m infra.setup python

Where the platform's wheel is installed, the environment is there: it gets the packages of the lock, and keeps its others.
"""

import os
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

from infra.installation import IS_CLONE, ROOT, STATE, VENV
from infra.setup.step import SetupFailure, Step, call, digest

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


REMOTE = "pyspark_client"
"""Spark without its engine, in the folder of pyspark: pip installs it for a provider of Airflow, uv is told not to."""


def _installer_from() -> str:
    # The paths are part of it: the scripts of an environment name its folder, so a moved clone needs a new one.
    return digest(HERE / "uv.txt", sys.version, str(VENV))


def _install_installer() -> None:
    if IS_CLONE:
        _make_environment()
    elif find_spec("pip") is None:
        raise SetupFailure(f"{VENV} has no pip, which installs uv: run `{VENV}/bin/python -m ensurepip`")
    # Beside the environment, not in it: `uv pip sync` removes whatever the lock does not name, uv itself included.
    quietly = ["--disable-pip-version-check", "--quiet", "--no-cache-dir", "--require-hashes", "--upgrade"]
    python = VENV / "bin" / "python"
    call([python, "-m", "pip", "install", *quietly, "--target", TOOLS, "-r", HERE / "uv.txt"], "installing uv")


def _make_environment() -> None:
    if VENV.is_symlink():
        raise SetupFailure(
            f"{VENV} is a link, and would be emptied for all that use it; remove the link and set up again"
        )
    call([sys.executable, "-m", "venv", "--clear", VENV], "making the virtual environment")


def _install() -> None:
    env = {
        "UV_CACHE_DIR": str(STATE / "cache" / "uv"),
        "UV_NO_CONFIG": "1",
        "UV_HTTP_TIMEOUT": "180",
        "VIRTUAL_ENV": str(VENV),
    }
    if "PIP_CERT" in os.environ:
        env["SSL_CERT_FILE"] = os.environ["PIP_CERT"]
    hashed = ["--require-hashes", "--build-constraints", HERE / "build.txt"]
    if not IS_CLONE:
        again = ["--reinstall-package", "pyspark"] if any(_packages(f"{REMOTE}-*")) else []
        if again:
            call([UV, "pip", "uninstall", REMOTE], "removing Spark without its engine", env)
        # The lock is whole; what it leaves out on purpose (infra/overrides.txt) is not to be added.
        call([UV, "pip", "install", "--no-deps", *hashed, *again, "-r", LOCK], "installing the Python packages", env)
        return
    call([UV, "pip", "sync", *hashed, LOCK], "installing the Python packages", env)
    # A path file and a launcher in place of an editable install: no build backend to fetch and to pin.
    for packages in _packages(""):
        (packages / "daybreak.pth").write_text(f"{ROOT}\n")
    COMMAND.write_text(LAUNCHER.format(python=VENV / "bin" / "python"))
    COMMAND.chmod(0o755)


def _packages(pattern: str) -> Iterator[Path]:
    return VENV.glob(f"lib/python*/site-packages/{pattern}")


def unpack(requirements: Path, folder: Path, what: str, *more: str) -> None:
    """Put what hashed requirements name into a folder of its own, beside the environment; `more` are options of uv."""
    unshared = ["--no-config", "--no-cache", "--require-hashes", *more]
    into = ["--python", VENV / "bin" / "python", "--target", folder]
    call([UV, "pip", "install", *unshared, *into, "-r", requirements], what)


INSTALLER = Step(
    name="venv",
    says=f"{'A virtual environment in .venv, and uv' if IS_CLONE else 'uv'}, which installs packages",
    stamp=VENV / "daybreak-venv-stamp",
    made_from=_installer_from,
    install=_install_installer,
    complete=lambda: UV.is_file() and (VENV / "bin" / "python").exists(),
)
STEP = Step(
    name="python",
    says="Python packages, from infra/requirements.lock (half a minute)",
    stamp=VENV / "daybreak-stamp",
    made_from=lambda: digest(LOCK, HERE / "build.txt", _installer_from(), LAUNCHER),
    install=_install,
    complete=lambda: COMMAND.is_file() and (VENV / "bin" / "pytest").is_file(),
    after=INSTALLER.name,
)
