"""Which files of Maven's set-up may install: each with its SHA-256, in a committed list.

Data flow: infra/jars.lock, files that were fetched -> nothing, or one sentence that names the file that is not as listed
Run: make lock-jars
"""

import hashlib
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from infra.installation import ROOT, SET_UP
from infra.setup.step import SetupFailure

LIST = ROOT / "infra" / "jars.lock"


@dataclass(frozen=True)
class Pin:
    """A file that may be installed: where it comes from (`group:name:version`), under which licences, and its hash."""

    file: str
    module: str
    licences: tuple[str, ...]
    sha256: str


def pinned(configuration: str, listed: Path = LIST) -> dict[str, Pin]:
    """What the list has for a configuration, by file name."""
    found = tomllib.loads(listed.read_text()).get(configuration, {})
    return {
        file: Pin(file, entry["module"], tuple(entry["licences"]), entry["sha256"]) for file, entry in found.items()
    }


def configurations(listed: Path = LIST) -> list[str]:
    """Every configuration of the list."""
    return list(tomllib.loads(listed.read_text()))


def sha256(file: Path) -> str:
    """The SHA-256 of a file's content, in hexadecimal."""
    with file.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


def said(*names: str, listed: Path = LIST) -> str:
    """The hashes of some configurations as one string: a step that is made from them is done again when one changes."""
    return "\n".join(f"{pin.file} {pin.sha256}" for name in names for pin in pinned(name, listed).values())


def check(configuration: str, files: Iterable[Path], listed: Path = LIST) -> None:
    """Raise SetupFailure unless `files` are exactly the configuration's, each with the listed hash."""
    expected = pinned(configuration, listed)
    for file in sorted(files):
        found = sha256(file)
        pin = expected.pop(file.name, None)
        if pin is None:
            raise SetupFailure(
                f"{file.name} of {configuration!r} is not in infra/{listed.name}, and has the SHA-256 {found}: it was not "
                "installed. If you changed which jars are fetched, run `make lock-jars` and look at what that changes"
            )
        if found != pin.sha256:
            raise SetupFailure(
                f"{file.name} of {configuration!r} has the SHA-256 {found}, and {pin.sha256} is pinned in "
                f"infra/{listed.name}: it was changed on its way, or where it comes from, and was not installed. Run "
                f"`{SET_UP}` again; if it says the same, use none of it until you know who changed the file"
            )
    if expected:
        raise SetupFailure(
            f"{min(expected)} of {configuration!r} is in infra/{listed.name} and was not fetched; run `{SET_UP}` again, "
            "or `make lock-jars` if you changed which jars are fetched"
        )


def hold(configuration: str, files: Iterable[Path], listed: Path = LIST) -> bool:
    """Are `files` exactly the configuration's?"""
    try:
        check(configuration, files, listed)
    except SetupFailure:
        return False
    return True
