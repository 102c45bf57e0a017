"""Where it is written down who was refused what, and how a server that only prints it comes to a file of its own.

Data flow: a program's command -> the same behind infra/services/refusals.py
Run: daybreak up --only store,postgres
"""

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from infra.services import refusals
from infra.services.program import Name
from infra.settings import Settings

NOBODY: Mapping[str, str] = MappingProxyType({})


def audit_file(s: Settings, name: Name) -> Path:
    """A line of JSON for each login that failed and each request that was refused; the file before it ends with `.1`."""
    return s.home / "logs" / f"{name}-audit.jsonl"


def audited(s: Settings, name: Name, command: Sequence[str], names: Mapping[str, str] = NOBODY) -> tuple[str, ...]:
    """The command, whose refusals are kept. `names`: what users are called, by their access keys."""
    reader = (
        sys.executable,
        "-I",
        "-S",
        refusals.__file__,
        str(name),
        str(audit_file(s, name)),
        json.dumps(dict(names)),
    )
    return (*reader, *command)
