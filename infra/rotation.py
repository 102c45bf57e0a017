"""A rotation of the generated secrets, as files: new ones are kept beside those in force, until all services have them.

Data flow: infra/secrets.py -> `<home>/secrets.next.json` -> `<home>/secrets.env`, the old one beside it until the end (all 0600)
Run: daybreak secrets rotate

Each step can be done again. A service takes its secret from its settings at each start, so once the new ones are in
`secrets.env`, to start what does not run is all that is left.
"""

import json
import os
from collections.abc import Collection
from dataclasses import asdict, dataclass, field
from pathlib import Path

from pydantic import SecretStr

from infra import secrets
from infra.owner_file import put, turn, write
from infra.settings import Settings
from infra.spark_conf import forget_keys
from infra.tls.prepare import give_up, is_yours

FERNET = "DAYBREAK_AIRFLOW_FERNET_KEY"
"""What it has encrypted must be read once more: Airflow is given `new,old`, encrypts all anew, and forgets the old one."""
SPARK = "DAYBREAK_SPARK_SECRET"
YOURS = "it is yours: change it where it was made, and in its setting"


@dataclass(frozen=True)
class Rotation:
    """The new secrets by their settings, and the programs that ran when it began."""

    secrets: dict[str, str] = field(repr=False)
    programs: tuple[str, ...]
    authority: bool = False
    """Is our CA another one, too? Who trusts the old one is let in no longer, also what runs."""


def next_file(home: Path) -> Path:
    """The rotation that has begun and not ended."""
    return home / "secrets.next.json"


def before_file(home: Path) -> Path:
    """The secrets that were in force before; with them in place of `secrets.env`, `daybreak up` goes back."""
    return home / "secrets.before.env"


def begun(home: Path) -> Rotation | None:
    """The rotation that is not at its end, if there is one."""
    file = next_file(home)
    if not file.exists():
        return None
    said = json.loads(file.read_text())
    return Rotation(said["secrets"], tuple(said["programs"]), said.get("authority", False))


def begin(s: Settings, programs: Collection[str], authority: bool = False) -> Rotation:
    """Make new secrets, or take those of a rotation that was interrupted; `programs` run now."""
    known = begun(s.home) or Rotation(_changing(s), ())
    both = tuple(dict.fromkeys((*known.programs, *programs)))
    found = Rotation(known.secrets, both, known.authority or authority)
    write(next_file(s.home), asdict(found))
    return found


def is_in_force(s: Settings, new: Rotation) -> bool:
    """Are the new ones in `secrets.env`?"""
    there = secrets.written(secrets.secrets_file(s.home))
    return all(there.get(name, "").split(",")[0] == value for name, value in new.secrets.items())


def put_in_force(s: Settings, new: Rotation) -> None:
    """Put them there, all at once; what else is in the file stays. Our certificate goes with the old ones, first: a rotation that
    is killed here gives it up again. No program may run that has an old one.
    """
    give_up(s, new.authority)
    forget_keys(s)
    file = secrets.secrets_file(s.home)
    with turn(file):
        text = file.read_text()
        put(before_file(s.home), text)
        put(file, "".join(f"{_changed(line, new.secrets)}\n" for line in text.splitlines()))


def forget(s: Settings, name: str, value: str) -> None:
    """From now on only this value: what was kept beside it is needed no more."""
    file = secrets.secrets_file(s.home)
    with turn(file):
        lines = file.read_text().splitlines()
        put(file, "".join(f"{name}={value}\n" if line.startswith(f"{name}=") else f"{line}\n" for line in lines))


def keeps_old_key(s: Settings) -> bool:
    """Is something still encrypted with a Fernet key that was in force before?"""
    return "," in s.airflow_fernet_key.get_secret_value()


def end(s: Settings) -> None:
    """The old ones are gone."""
    before_file(s.home).unlink(missing_ok=True)
    next_file(s.home).unlink(missing_ok=True)


def untouched(s: Settings) -> dict[str, str]:
    """Secrets that a rotation does not change, with the reason."""
    ours, changing = secrets.anew(s), _changing(s)
    said = {name: _why(name) for name in ours if name not in changing}
    for setting, info in type(s).model_fields.items():
        name = f"DAYBREAK_{setting.upper()}"
        if info.annotation is SecretStr and name not in ours and getattr(s, setting).get_secret_value():
            said[name] = YOURS
    if s.has_tls and is_yours(s):
        said["DAYBREAK_TLS_KEY"] = YOURS
    return said


def _changing(s: Settings) -> dict[str, str]:
    is_cluster = not s.spark_master.startswith("local")
    return {
        name: value
        for name, value in secrets.anew(s).items()
        if name not in os.environ and not (name == SPARK and is_cluster)
    }


def _why(name: str) -> str:
    if name in os.environ:
        return "the environment sets it"
    return (
        "your Spark master and workers have it: write another one into secrets.env, then daybreak cluster-conf FOLDER"
    )


def _changed(line: str, new: dict[str, str]) -> str:
    name, _, old = line.partition("=")
    if name not in new:
        return line
    return f"{name}={new[name]},{old}" if name == FERNET else f"{name}={new[name]}"
