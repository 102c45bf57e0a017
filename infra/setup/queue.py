"""The queue broker, Apache Artemis, which only the option queue needs.

Data flow: infra/setup/queue.xml -> Ivy -> its archive, checked against infra/jars.lock -> `.daybreak/jars/queue`, the jars alone
Run: python3 -m infra.setup queue
"""

import shutil
import tarfile
from pathlib import Path

from infra.setup import pins
from infra.setup.environment import STEP as PYTHON
from infra.setup.jars import JARS, one_file
from infra.setup.step import Step, digest, replaced

NAME = "queue"
IVY_FILE = Path(__file__).with_name("queue.xml")
KINDS = ("tar.gz",)
FOLDER = JARS / NAME


def unpack(archive: Path, folder: Path) -> None:
    """Put the archive's jars into `folder`, all or none."""
    with replaced(folder) as fresh, tarfile.open(archive) as packed:
        for member in packed:
            way = Path(member.name)
            # By its last name alone: nothing that an archive says leads out of the folder.
            if member.isfile() and way.parent.name == "lib" and way.suffix == ".jar":
                content = packed.extractfile(member)
                assert content
                with content, (fresh / way.name).open("wb") as jar:
                    shutil.copyfileobj(content, jar)


def _install() -> None:
    again = "try again: daybreak up --with queue"
    with one_file(NAME, IVY_FILE, "the queue broker", again, "*.tar.gz", KINDS) as archive:
        unpack(archive, FOLDER)


STEP = Step(
    name=NAME,
    says="The queue broker, Apache Artemis (47 MB, some seconds)",
    stamp=JARS / f"{NAME}.stamp",
    made_from=lambda: digest(IVY_FILE, pins.said(NAME)),
    install=_install,
    complete=lambda: any(FOLDER.glob("artemis-server-*.jar")),
    after=PYTHON.name,
)
