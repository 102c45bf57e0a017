"""What the machine itself must bring: Python with venv, Java 17 or newer.

Data flow: machine -> nothing, or one sentence that names what is missing
Run: make setup
"""

import importlib.util
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from infra.installation import IS_CLONE
from infra.setup.step import SetupFailure

JAVA = 17
"""Spark 4 and Kafka 4 run on Java 17 and newer."""


def check(with_java: bool = True) -> None:
    """Raise SetupFailure, one sentence, if something is missing."""
    if not IS_CLONE and sys.prefix == sys.base_prefix:
        raise SetupFailure(
            "the platform's wheel is installed for all that use this Python, and would change their packages; install it into an "
            "environment of its own: python3 -m venv .venv && .venv/bin/pip install --no-deps daybreak-*.whl"
        )
    if IS_CLONE and importlib.util.find_spec("ensurepip") is None:
        raise SetupFailure("this Python cannot make a virtual environment; install it: apt install python3-venv")
    if with_java:
        version = java_version()
        if version < JAVA:
            raise SetupFailure(
                f"Java {JAVA} or newer is needed and `{java()}` is Java {version}; install it or set JAVA_HOME"
            )


def java() -> str:
    """The Java that Spark, Kafka and Ivy run on: JAVA_HOME's, else the one on the path."""
    home = os.environ.get("JAVA_HOME")
    if home:
        binary = Path(home) / "bin" / "java"
        if not binary.is_file():
            raise SetupFailure(f"JAVA_HOME is {home!r}, where there is no bin/java; correct or unset it")
        return str(binary)
    found = shutil.which("java")
    if found is None:
        raise SetupFailure(f"Java {JAVA} or newer is needed and there is none: apt install openjdk-17-jre-headless")
    return found


def java_version() -> int:
    """Major version of `java()`."""
    said = subprocess.run([java(), "-version"], capture_output=True, text=True)
    match = re.search(r'version "(?:1\.)?(\d+)', said.stderr + said.stdout)
    if said.returncode or match is None:
        raise SetupFailure(f"`{java()} -version` does not report a version: {(said.stderr or said.stdout).strip()!r}")
    return int(match[1])
