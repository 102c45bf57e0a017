"""What Go's database of advisories has against the programs that are built here, by govulncheck.

Data flow: `.daybreak/bin/*`, the newest database or the pinned one -> govulncheck -> Answer
Run: make audit

Only modules are compared: to see which functions are called takes more than ten minutes for a program of MinIO's size.
"""

import json
import subprocess
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from infra.materials.advisory import Advisory, Answer
from infra.setup.audit_tools import DATABASE, DATABASE_VERSION, GOVULNCHECK
from infra.setup.go_build import Program
from infra.setup.go_lock import PROGRAMS


def as_database(advisories: Path, into: Path, known: datetime) -> None:
    """Write advisories, one file each, in the form that govulncheck reads from a folder."""
    modules: dict[str, dict[str, dict[str, str]]] = {}
    for folder in ("index", "ID"):
        (into / folder).mkdir()
    for file in sorted(advisories.glob("GO-*.json")):
        text = file.read_text()
        entry = json.loads(text)
        (into / "ID" / file.name).write_text(text)
        for one in entry["affected"]:
            about = {"id": entry["id"], "modified": entry["modified"]}
            modules.setdefault(one["package"]["name"], {})[entry["id"]] = about
    index = [{"path": path, "vulns": list(ids.values())} for path, ids in sorted(modules.items())]
    (into / "index" / "modules.json").write_text(json.dumps(index))
    (into / "index" / "db.json").write_text(json.dumps({"modified": f"{known:%Y-%m-%dT%H:%M:%SZ}"}))


def pinned_date() -> datetime:
    """When the pinned database was committed: its version says so."""
    return datetime.strptime(DATABASE_VERSION.split("-")[1], "%Y%m%d%H%M%S")


def messages(text: str) -> Iterator[dict[str, Any]]:
    """The messages of govulncheck: JSON objects, one after the other."""
    decoder, place = json.JSONDecoder(), 0
    while text[place:].strip():
        place += len(text[place:]) - len(text[place:].lstrip())
        message, place = decoder.raw_decode(text, place)
        yield message


def read(text: str, program: str) -> tuple[str, list[Advisory]]:
    """As of when the database knows, and what it has against a program, each id once."""
    found: dict[str, Advisory] = {}
    knows = ""
    for message in messages(text):
        if "config" in message:
            knows = message["config"].get("db_last_modified", "")[:10]
        if "finding" in message:
            one = message["finding"]
            at = one["trace"][0]
            through = f"{at['module']} {at.get('version', '')}"
            found.setdefault(one["osv"], Advisory(one["osv"], program, through, one.get("fixed_version", "")))
    return knows, list(found.values())


def _ask(program: Program, *database: str) -> tuple[str, list[Advisory]] | None:
    command = [str(GOVULNCHECK.binary), "-mode=binary", "-scan=module", "-format", "json", *database]
    done = subprocess.run([*command, str(program.binary)], capture_output=True, text=True, timeout=300)
    return read(done.stdout, program.name) if done.returncode == 0 else None


def answer() -> Answer:
    """Ask about every program in Go that is built here."""
    built = [program for program in PROGRAMS if program.binary.is_file()]
    left = [f"{program.name}, which is not built here" for program in PROGRAMS if program not in built]
    found: list[Advisory] = []
    knows: set[str] = set()
    with TemporaryDirectory() as place:
        as_database(DATABASE, Path(place), pinned_date())
        for program in built:
            newest = _ask(program)
            got = newest or _ask(program, "-db", Path(place).as_uri())
            if got is None:
                left.append(f"{program.name}: govulncheck could not read it")
                continue
            knows.add(f"{'the newest database' if newest else 'the pinned database'}, of {got[0]}")
            found += got[1]
    names = ", ".join(program.name for program in built)
    return Answer("Go", f"the modules of {names}", "; ".join(sorted(knows)) or "nothing", found, "; ".join(left))
