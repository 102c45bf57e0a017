"""Write infra/jars.lock anew: what Ivy resolves now, with modules, licences and hashes.

Data flow: infra/ivy.xml, infra/setup/{compiler,queue,postgres}.xml -> Ivy's files and its report -> infra/jars.lock
Run: make lock-jars
"""

import json
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from xml.etree import ElementTree

from infra.installation import STATE
from infra.setup import compiled, connect, jars, postgres, queue
from infra.setup.pins import LIST, Pin, sha256
from infra.setup.step import SetupFailure

HEADER = """\
# Every file that set-up fetches from Maven's repository, and no other is installed. Written by: make lock-jars
# The jars within the pyspark wheel are covered by its hash in infra/requirements.lock.
"""
SHORT = {
    "Apache-2.0": r"^(the )?apache([ -]software)? licen[cs]e,?( version)?[ -]*v?2(\.0)?$|^apache[ -](licen[cs]e[ -])?v?2(\.0)?$",
    "MIT": r"^(the )?mit( licen[cs]e)?$",
}
"""Names of one licence as poms write it, under its name in SPDX's list."""


@dataclass(frozen=True)
class Fetched:
    """What one resolution of Ivy fetches: its configuration, its file, and the kinds of files that count."""

    configuration: str
    ivy_file: Path = jars.IVY_FILE
    kinds: Sequence[str] = ("jar", "bundle")


ALL = (
    *(Fetched(one) for one in (*jars.CONFIGURATIONS, connect.CONFIGURATION)),
    Fetched("compiler", compiled.IVY_FILE),
    Fetched(queue.NAME, queue.IVY_FILE, queue.KINDS),
    *(Fetched(one, postgres.IVY_FILE) for one in postgres.CONFIGURATIONS),
)


def licence(name: str) -> str:
    """A licence's name by SPDX where its name in a pom is one of the usual ones, else as the pom has it."""
    return next((short for short, form in SHORT.items() if re.search(form, name.strip(), re.I)), name.strip())


def origins(report: Path) -> dict[str, tuple[str, tuple[str, ...]]]:
    """Module and licences of every file in a report of Ivy, by the file's name."""
    found = {}
    for module in ElementTree.parse(report).getroot().iterfind("dependencies/module"):
        for revision in module.iterfind("revision"):
            name = f"{module.get('organisation')}:{module.get('name')}:{revision.get('name')}"
            licences = tuple(sorted({licence(one.get("name") or "") for one in revision.iterfind("license")} - {""}))
            for one in revision.iterfind("artifacts/artifact"):
                found[f"{one.get('name')}-{revision.get('name')}.{one.get('ext')}"] = (name, licences)
    return found


def resolved(one: Fetched) -> list[Pin]:
    """What Ivy fetches for a configuration now. Raises SetupFailure if it could not fetch all."""
    with TemporaryDirectory(dir=STATE) as place:
        folder, cache = Path(place) / "files", Path(place) / "cache"
        tries = (jars.retrieve(one.configuration, folder, one.ivy_file, one.kinds, cache) for _ in range(jars.TRIES))
        if not any(tries):
            raise SetupFailure(f"not every file of {one.configuration!r} could be fetched; run `make lock-jars` again")
        (report,) = cache.glob(f"daybreak-*-{one.configuration}.xml")
        if one.configuration == "spark":
            jars.drop_doubles(folder)
        known = origins(report)
        return [Pin(file.name, *known[file.name], sha256(file)) for file in sorted(folder.iterdir())]


def written(configuration: str, found: Sequence[Pin]) -> Iterator[str]:
    """A configuration's part of the list, as TOML."""
    for pin in found:
        yield f"\n[{configuration}.{json.dumps(pin.file)}]"
        yield f"module = {json.dumps(pin.module)}"
        yield f"licences = {json.dumps(list(pin.licences), ensure_ascii=False)}"
        yield f"sha256 = {json.dumps(pin.sha256)}"


def main() -> None:
    """Resolve everything, then replace the list."""
    lines = [line for one in ALL for line in written(one.configuration, resolved(one))]
    LIST.write_text(HEADER + "\n".join(lines) + "\n")


if __name__ == "__main__":
    try:
        main()
    except SetupFailure as failure:
        sys.exit(f"daybreak: {failure}")
