"""The password of Postgres's owner is the one of the settings, also if that has been changed: made so while the server is down.

Data flow: Settings, a salted hash of the password that Postgres has -> Postgres in single-user mode, if it is another one
Run: daybreak secrets rotate
Source: PostgreSQL manual, "postgres", "Options for Single-User Mode": it asks nobody for a password.
"""

import hashlib
import os
import secrets
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from psycopg import sql

from infra.failures import TransientFailure
from infra.owner_file import put
from infra.settings import Settings

ITERATIONS = 20_000
"""Of PBKDF2; what we generate nobody guesses, but you may set one of your own."""


def take(s: Settings, data: Path, user: str, single: Sequence[str]) -> None:
    """Change it unless Postgres has it already; `single` is the command of single-user mode. Raises TransientFailure."""
    if _is_known(s, data):
        return
    password = s.postgres_password.get_secret_value()
    # Single-user mode takes a statement per line, and would go on after one that failed.
    change = sql.SQL("ALTER ROLE {} PASSWORD {}\n").format(sql.Identifier(user), sql.Literal(password)).as_string()
    command = [*single, "-c", "exit_on_error=on", "postgres"]
    said = subprocess.run(command, input=change, capture_output=True, text=True, cwd="/")
    if said.returncode:
        raise TransientFailure(
            f"Postgres does not take its new password: {said.stderr.replace(password, '...').strip()[-1000:]}"
        )
    remember(s, data)


def remember(s: Settings, data: Path) -> None:
    """Postgres has it."""
    put(_file(data), _hashed(s, secrets.token_hex(16)))
    if os.geteuid() == 0:
        # As all that is there: the server looks through its folder after a crash.
        shutil.chown(_file(data), data.owner(), data.group())


def _is_known(s: Settings, data: Path) -> bool:
    file = _file(data)
    return file.exists() and (known := file.read_text()) == _hashed(s, known.partition(":")[0])


def _hashed(s: Settings, salt: str) -> str:
    password = s.postgres_password.get_secret_value()
    return f"{salt}:{hashlib.pbkdf2_hmac('sha256', password.encode(), bytes.fromhex(salt), ITERATIONS).hex()}"


def _file(data: Path) -> Path:
    return data / "daybreak-password"
