"""The versions in force, from a file where this very code asked before: planning everything costs a cold JVM 9 CPU seconds.

Data flow: source files, libraries, settings -> a hash -> the versions that were found by it, or `definitions` anew
Run: pytest tests/streaming/test_known_definitions.py
"""

import hashlib
import json
import sys
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from uuid import uuid4

import psutil
import pyspark
from pyspark.sql import SparkSession

from infra.settings import ROOT, settings
from streaming import project
from streaming.versions.definitions import definitions

FOLDERS = ("streaming", "infra")
"""Where everything is defined, beside the project's folder. What a view imports from elsewhere counts too: by content, and what
is installed by version."""
KEPT = 4
"""Of so many states of the code, the newest: a stream and a night may run different ones, and each would forget the other's."""
CLOCK_SECONDS = 2
"""How exactly it is known when a process began."""


def known_definitions(session: SparkSession) -> Mapping[str, str]:
    """As `definitions`. Of code that has changed since this process began, it is not known what the process has loaded."""
    files = list(_files())
    if _is_young(files):
        return definitions(session)
    file, of, kept = _file(), _hash(files, session.version), _kept()
    if of not in kept:
        kept[of] = dict(definitions(session))
        fresh = file.with_suffix(f".{uuid4()}")
        fresh.write_text(json.dumps(list(kept.items())[-KEPT:], indent=1))
        fresh.replace(file)
    return kept[of]


def remembered() -> Mapping[str, str] | None:
    """The versions of this very code, if a process of it has found them; None: they are not known. It needs no Spark."""
    files = list(_files())
    return None if _is_young(files) else _kept().get(_hash(files, pyspark.__version__))


def _is_young(files: list[Path]) -> bool:
    """Has a file changed since this process began?"""
    return max(file.stat().st_mtime for file in files) >= psutil.Process().create_time() - CLOCK_SECONDS


def _file() -> Path:
    return settings().home / "definitions.json"


def _kept() -> dict[str, dict[str, str]]:
    with suppress(OSError, ValueError, TypeError):
        return {name: dict(found) for name, found in json.loads(_file().read_text())}
    return {}


def _files() -> Iterator[Path]:
    for folder in (*(ROOT / name for name in FOLDERS), project.folder().folder):
        for one in folder.rglob("*"):
            names = one.relative_to(folder).parts
            # A project's folder may have its home in it.
            if one.is_file() and not any(name == "__pycache__" or name.startswith(".") for name in names):
                yield one
    for name, module in list(sys.modules.items()):
        file = Path(getattr(module, "__file__", None) or "")
        is_installed_or_ours = any(file.is_relative_to(one) for one in (ROOT, sys.prefix, sys.base_prefix))
        # The program that asks defines nothing, and the night is another one than the stream.
        if name != "__main__" and file.suffix == ".py" and not is_installed_or_ours:
            yield file


def _hash(files: list[Path], spark: str) -> str:
    found = hashlib.sha256(f"{spark} {sys.version} {settings().model_dump_json()}".encode())
    for installed in sorted(one.name for path in sys.path for one in Path(path).glob("*.dist-info")):
        found.update(f"{installed}\n".encode())
    for file in sorted(set(files)):
        # With its length: where one ends and the next begins is told too.
        content = file.read_bytes()
        found.update(f"\n{len(content)} {file}\n".encode() + content)
    return found.hexdigest()
