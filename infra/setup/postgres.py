"""Postgres with OpenSSL, which only DAYBREAK_TLS=on needs: the server of the wheel was built without.

Data flow: infra/setup/postgres.xml -> Ivy -> its archive, checked against infra/jars.lock -> `.daybreak/jars/postgres`
Run: python3 -m infra.setup postgres

The archives of zonky's project, because they have the wheel's version (16.14), to which data folders are bound, and bring their
libraries along, among them a distribution's OpenSSL 1.1.1, built in May 2023. Wheels that have OpenSSL are of newer versions.
"""

import io
import platform
import tarfile
import zipfile
from pathlib import Path

from infra.setup import pins
from infra.setup.environment import STEP as PYTHON
from infra.setup.jars import JARS, one_file
from infra.setup.step import SetupFailure, Step, digest, replaced

NAME = "postgres"
IVY_FILE = Path(__file__).with_name("postgres.xml")
CONFIGURATIONS = tuple(f"{NAME}-{machine}" for machine in ("x86_64", "aarch64"))
FOLDER = JARS / NAME
SERVER = FOLDER / "bin" / "postgres"


def unpack(archive: Path, folder: Path) -> None:
    """Put the server with its libraries into `folder`, all or none."""
    with replaced(folder) as fresh, zipfile.ZipFile(archive) as jar:
        (packed,) = (name for name in jar.namelist() if name.endswith(".txz"))
        with tarfile.open(fileobj=io.BytesIO(jar.read(packed))) as files:
            # Nothing that an archive says leads out of the folder.
            files.extractall(fresh, filter="data")


def _configuration() -> str:
    return f"{NAME}-{platform.machine()}"


def _install() -> None:
    own = _configuration()
    if own not in CONFIGURATIONS:
        raise SetupFailure(
            f"there is no Postgres with TLS for {platform.machine()}: set DAYBREAK_POSTGRES_DSN to one of your own"
        )
    again = "try again: daybreak up"
    with one_file(own, IVY_FILE, "Postgres with TLS", again) as archive:
        unpack(archive, FOLDER)


STEP = Step(
    name=NAME,
    says="Postgres with TLS (15 MB, some seconds)",
    stamp=JARS / f"{NAME}.stamp",
    made_from=lambda: digest(IVY_FILE, pins.said(_configuration())),
    install=_install,
    complete=SERVER.is_file,
    after=PYTHON.name,
)
