"""The command `new`: a project to begin with, in a folder of its own.

Data flow: streaming/starter, or records of a topic -> a folder with a topic, a view, examples, tests and settings
Run: daybreak new mine
"""

import re
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated
from zlib import crc32

import typer

from infra.failures import PermanentFailure
from infra.project import place
from infra.project_setting import TOML
from infra.settings import ROOT, settings
from streaming.proposal.infer import proposal
from streaming.proposal.newest import newest
from streaming.proposal.render import files

commands = typer.Typer()

STARTER = ROOT / "streaming" / "starter"
PORTS, APART, MOST = 22_000, 100, 80
"""The ports of new projects begin here, and so far apart; so many projects have ports of their own, by their names."""


@commands.command()
def new(
    name: str,
    topic: Annotated[
        str | None, typer.Option("--from-topic", help="Propose the contract from records of this topic of Kafka.")
    ] = None,
    key: Annotated[str | None, typer.Option(help="With --from-topic: the field that is the records' key.")] = None,
    event_type: Annotated[str | None, typer.Option(help="With --from-topic: the type of events that say none.")] = None,
) -> None:
    """Make a project in the folder NAME: one topic, one view, examples, a test that passes, and its settings."""
    texts = None if topic is None else _proposed(topic, key, event_type)
    folder = made(Path(name), texts)
    shown = folder.name if folder.parent == Path.cwd() else folder
    print(f"{folder}: contracts.py, views.py, examples, tests, {TOML}. Next:\n  cd {shown}")
    if topic is not None:
        print(
            "  less contracts.py        # what is proposed, and how many of the records it fits: change what is not so"
        )
        print(f"  less examples/{topic}/good/*     # payloads of real records: change what nobody shall see")
    print("  pytest tests             # its examples and its view, in both layers")
    print("  daybreak up              # its own platform, on its own ports")
    if topic is None:
        print("  tr -d '\\n' < examples/readings/good/reading_taken.json | daybreak send readings")


def made(folder: Path, texts: Mapping[str, str] | None = None) -> Path:
    """Write it, with `texts` of files in place of the usual topic's; returns its absolute path.

    Raises PermanentFailure if the folder is there, or cannot be a package.
    """
    folder = folder.expanduser().resolve()
    if folder.exists():
        raise PermanentFailure(f"{folder} exists: choose another name, or remove it")
    shutil.copytree(STARTER, folder, ignore=shutil.ignore_patterns("__pycache__", *(["examples"] if texts else [])))
    for name, text in (texts or {}).items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    toml = folder / TOML
    base = PORTS + APART * (crc32(folder.name.encode()) % MOST)
    toml.write_text(re.sub(r"port_base = \d+", f"port_base = {base}", toml.read_text()))
    try:
        place(settings().model_copy(update={"project": str(folder)}))
    except PermanentFailure:
        shutil.rmtree(folder)
        raise
    return folder


def _proposed(topic: str, key: str | None, event_type: str | None) -> dict[str, str]:
    """The files of a project with this topic; asks for what no record says, where somebody can answer."""
    found = proposal(topic, newest(topic))
    fields = [one.name for one in found.fields if one.ddl in ("string", "bigint")]
    key = key or (found.key.field if found.key else None) or _asked(f"Which field is the key ({', '.join(fields)})")
    if key not in fields:
        raise PermanentFailure(
            f"which field is the key of {topic}? Say it with --key: {', '.join(fields) or 'it has none'}"
            + (
                f"; `{key}` is none of its texts and whole numbers"
                if key
                else "; no field is equal to the key of most records"
            )
        )
    default = event_type or (
        "recorded" if found.event_type else _asked("How are its events called", "recorded") or "recorded"
    )
    return files(found, key, default)


def _asked(what: str, default: str = "") -> str | None:
    return str(typer.prompt(what, default=default)) if sys.stdin.isatty() else None
