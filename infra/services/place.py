"""Prepare the home of a platform: its folders, and links to the files that set-up installed.

Data flow: Settings -> `<home>/{run,logs,tmp,failpoints,spark}`, links to set-up's `{bin,jars}`
Run: daybreak up
"""

from infra import owner_only, project
from infra.failures import PermanentFailure
from infra.installation import SET_UP, STATE
from infra.services import kafka, ports, postgres, store
from infra.settings import Settings
from infra.spark_conf import write_defaults
from infra.store_users import User
from infra.tls import prepare as tls

FOLDERS = ("run", "logs", "tmp", "failpoints")
INSTALLED = ("bin", "jars")
"""Folders that set-up fills (infra/installation.py), in a clone those of its own home; any other home links to them."""


def prepare(s: Settings) -> None:
    """Close the home to others, create the folders, link the installed files, write Spark's shared configuration.

    Raises PermanentFailure if nothing is installed, or if the home's log was made by another number of brokers, its lake by
    another store, or its data by another project.
    """
    owner_only.narrow(s.home)
    project.keep(s)
    kafka.refuse_other_size(s)
    store.refuse_other_format(s)
    for folder in FOLDERS:
        (s.home / folder).mkdir(parents=True, exist_ok=True)
    link_installed(s)
    postgres.fetch(s)
    tls.prepare(s)
    write_defaults(s, User.NIGHT)


def link_installed(s: Settings) -> None:
    """Link the installed files, in place of those of another installation. Raises PermanentFailure if there are none."""
    for name in INSTALLED:
        here, installed = s.home / name, STATE / name
        if not installed.exists():
            raise PermanentFailure(f"{installed} is missing: run `{SET_UP}`")
        if here.is_symlink() and here.resolve() != installed.resolve():
            # A new environment after an upgrade, or a clone that is gone: its jars would be another Spark's.
            here.unlink()
        if not here.exists():
            here.symlink_to(installed)


def check_supervisor_port(s: Settings) -> None:
    """Raise PermanentFailure if the port that supervisor is to listen on is taken."""
    if taken_by := ports.owner(s.supervisor_port):
        raise PermanentFailure(
            f"port {s.supervisor_port} of supervisor is taken by {taken_by}; stop it, or set "
            "DAYBREAK_SUPERVISOR_PORT (or DAYBREAK_PORT_BASE, which moves all ports) to another one"
        )
