"""A proposal as the files of a project: each line of the contract with the share of records that it fits.

Data flow: Proposal -> contracts.py, views.py, tests, examples
Run: daybreak new mine --from-topic readings
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from string import Template
from typing import Any

from infra.settings import ROOT
from streaming.contracts.contract import column_of
from streaming.proposal.infer import Field, Proposal
from streaming.views.faults import IN_QUERIES, OF_GOLD, OF_LAYERS

TEMPLATES = ROOT / "streaming" / "proposal" / "templates"
TAKEN = {*OF_LAYERS, *OF_GOLD, *IN_QUERIES, "hour_start", "hour_end", "events"}
"""Names that a key's column in the view cannot have."""
FILES = ("contracts.py", "views.py", "tests/test_project.py")
ID, AT = "0d1c2b3a-4e5f-4a6b-8c7d-9e0f1a2b3c4d", 1_769_890_505_000
"""The id and the time of examples: the day on which tests judge them."""
MOST_TOLD = 20
"""Fields that are left out, in the comment."""
FIT = {"event_id": ("different UUIDs",), "event_time": ("epoch milliseconds",)}
ASKED = {
    "event_id": "a UUID, another one for each event",
    "event_time": "when it happened, in epoch milliseconds",
    "event_type": "what happened",
}


def files(found: Proposal, key: str, default: str) -> dict[str, str]:
    """The text of each file by its name. `key`: the field that is the key; `default`: the type of events that say none."""
    name = column_of(found.topic)
    constant = f"T_{name}".upper() if name[0].isdigit() else name.upper()
    required = {kind or default: tuple(dict.fromkeys((key, *fields))) for kind, fields in found.required.items()}
    known = {
        "topic": repr(found.topic),
        "told": repr(found.topic)[1:-1],
        "records": f"{found.records:,}",
        "constant": constant,
        "name": f"{constant.lower()}_hours",
        "view": f"{constant}_HOURS",
        "key": repr(key),
        "shown": repr(f"{key}_of_event" if key in TAKEN else key),
        "key_type": repr(next(one.ddl for one in found.fields if one.name == key)),
        "imports": _imports(found),
        "envelope": "\n".join(f"# {line}" for line in _envelope(found, key, default)),
        "columns": _block(line for one in found.fields for line in _column(one)),
        "required": _block(f"{kind!r}: {fields!r}," for kind, fields in required.items()),
        "rules": _block(line for one in found.fields for line in _rule(one)),
    }
    texts = {file: (TEMPLATES / f"{Path(file).stem}.txt").read_text() for file in FILES}
    examples = {kind or default: _example(kind or default, payload) for kind, payload in found.examples.items()}
    folder = f"examples/{found.topic}/good"
    good = {f"{folder}/{_file(kind, place)}.json": text for place, (kind, text) in enumerate(examples.items(), 1)}
    return {file: Template(text).substitute(known) for file, text in texts.items()} | good


def share(part: float) -> str:
    """0.98765 as 98.8%; never 100% of less than all, nor 0% of more than nothing."""
    shown = f"{100 * part:.1f}%"
    return "almost all" if shown == "100.0%" and part < 1 else "almost none" if shown == "0.0%" and part > 0 else shown


def _envelope(found: Proposal, key: str, default: str) -> Iterator[str]:
    guesses = {"event_id": found.event_id, "event_time": found.event_time, "event_type": found.event_type}
    for name, guess in guesses.items():
        if guess is None:
            told = f"no field seems to be it: {ASKED[name]}" + (f", e.g. {default}" if name == "event_type" else "")
        else:
            told = f"`{guess.field}`, {guess.of} in {share(guess.share)} of the records"
            if guess.field != name or guess.of not in FIT.get(name, guess.of):
                told += f"; the producer has to write it as {name}: {ASKED[name]}"
        yield f"  {name}: {told}"
    yield f"  schema_version: a whole number in {share(found.versioned)} of the records; 1 here"
    is_key = found.key is not None and found.key.field == key
    yield f"  key: `{key}`" + (
        f", {found.key.of} in {share(found.key.share)} of the records" if found.key and is_key else ", as you said"
    )
    for name, why in list(found.left_out.items())[:MOST_TOLD]:
        yield f"  left out: {name[:100]!a} {why}. Records that have it are rejected (unknown_field)"
    if len(found.left_out) > MOST_TOLD:
        yield f"  left out too: {len(found.left_out) - MOST_TOLD:,} more fields"
    if found.objects < found.records:
        yield f"  JSON objects: {share(found.objects / found.records)} of the records; the others are rejected"


def _column(field: Field) -> Iterator[str]:
    kind = field.ddl if len(field.ddl) < 40 else "this type"
    yield f"# in {share(field.present)} of the records; {kind} fits {share(field.fits)} of these"
    yield f'column("{field.name}", {field.python}, "Say what it is"),'


def _rule(field: Field) -> Iterator[str]:
    if field.rule:
        yield f"# {field.rule.seen}; fits {share(field.rule.share)} of them"
        yield f"{field.rule.call}({field.name!r}, {', '.join(map(repr, field.rule.arguments))}),"


def _example(kind: str, payload: Mapping[str, Any]) -> str:
    head = {"event_id": ID, "event_type": kind, "event_time": AT, "schema_version": 1}
    return json.dumps(head | dict(payload), indent=2) + "\n"


def _file(kind: str, place: int) -> str:
    return kind if re.fullmatch(r"[\w-]{1,60}", kind) else str(place)


def _imports(found: Proposal) -> str:
    """What the contract's text calls."""
    python = " ".join(one.python for one in found.fields)
    checks = sorted({one.rule.call for one in found.fields if one.rule})
    arrays = ["from pyspark.sql.types import ArrayType", ""] if "ArrayType(" in python else []
    types = "TYPES, " if "TYPES[" in python else ""
    own = [f"from infra.lake.columns import {types}column, struct"]
    return "\n".join([*arrays, *own, f"from streaming.contracts.contract import {', '.join(['Contract', *checks])}"])


def _block(lines: Iterable[str]) -> str:
    return "\n".join(f"        {line}" for line in lines)
