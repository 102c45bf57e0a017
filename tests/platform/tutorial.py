"""The tutorials of streaming/README.md, performed on a copy of the tree: their files written, their lines put in.

Data flow: code blocks of the README -> files of the copy -> `python -m batch.catalog` there
Run: pytest tests/batch/test_tutorial.py
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from infra.settings import ROOT

FOLDERS = ("batch", "dags", "dbt", "infra", "streaming", "tests", ".github")
FILES = ("pyproject.toml", "README.md", "Makefile", "LICENSE", ".gitignore")
INSTALLED = ("bin", "jars")
VIEW, TOPIC = "customer_hours", "reviews"
BLOCK = re.compile(r"^```(?:python|json)\n(?:#|//) (\S+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LIST_END = "\n)\n"
"""Where the list of a registry of many lines ends."""


def copied(folder: Path) -> Path:
    """The tree as it is, with what `make setup` has installed."""
    for name in FOLDERS:
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in FILES:
        shutil.copy(ROOT / name, folder / name)
    (folder / ".daybreak").mkdir()
    for name in INSTALLED:
        (folder / ".daybreak" / name).symlink_to((ROOT / ".daybreak" / name).resolve())
    return folder


def performed(folder: Path) -> list[str]:
    """Do what the tutorials say in a copy of the tree; the files that `make catalog` then writes."""
    blocks: list[tuple[str, str]] = BLOCK.findall((folder / "streaming" / "README.md").read_text())
    assert len(blocks) == 6
    for path, text in blocks:
        file = folder / path
        if file.name == "__init__.py":
            _register(file, text.rstrip("\n"))
        else:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
    done = python(folder, "-m", "batch.catalog")
    assert done.returncode == 0, done.stderr
    return done.stdout.split("\n")[:-1]


def _register(file: Path, line: str) -> None:
    """One more line in the list of a registry, and the import of the name that it adds."""
    before, name = file.read_text(), line.strip(" ,")
    text = before.replace(LIST_END, f"\n{line}{LIST_END}", 1)
    assert text != before, f"{file} has no list of one name a line"
    package = ".".join(file.parent.parts[-3:])
    text = text.replace(f"\nfrom {package}.", f"\nfrom {package}.{name.lower()} import {name}\nfrom {package}.", 1)
    file.write_text(text)


def python(folder: Path, *arguments: str, env: dict[str, str] | None = None) -> "subprocess.CompletedProcess[str]":
    """Python with the copy's code."""
    own = (os.environ if env is None else env) | {"PYTHONPATH": str(folder)}
    return subprocess.run(
        [sys.executable, *arguments], cwd=folder, env=own, capture_output=True, text=True, timeout=900
    )
