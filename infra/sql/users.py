"""Who may log in to the SQL gateway: the writer, which is dbt and the platform itself, and the reader, which is people.

Data flow: passwords of Settings -> `<home>/gateway/users` (salted hashes, 0600) -> infra/sql/java/daybreak/sql/Passwords.java
Run: daybreak connect sql
"""

import hashlib
import secrets
from enum import StrEnum
from pathlib import Path

from infra.failures import PermanentFailure
from infra.owner_file import put
from infra.settings import Settings

ITERATIONS = 20_000
"""Of PBKDF2: a guess costs some milliseconds, a login too. What we generate nobody guesses; you may set one of your own."""
NONE = "none"
"""What a gateway of yours is told that has no passwords: it takes any."""


class Role(StrEnum):
    """A user of the gateway."""

    WRITER = "writer"
    READER = "reader"


def password(s: Settings, role: Role) -> str:
    """The role's password; empty if there is none."""
    own = {Role.WRITER: s.gateway_writer_password, Role.READER: s.gateway_reader_password}
    return own[role].get_secret_value()


def given(s: Settings, role: Role) -> str:
    """What a program of ours says as the role's password."""
    return password(s, role) or NONE


def password_file(s: Settings, role: Role) -> Path:
    """A file (0600) with the password and nothing else, for programs that take one from a file.

    Raises PermanentFailure if our own gateway has none yet.
    """
    if s.embedded("gateway_host") and not password(s, role):
        raise PermanentFailure(f"the SQL gateway has no password of {role} yet: daybreak up makes it")
    file = given_file(s, role)
    file.parent.mkdir(parents=True, exist_ok=True)
    put(file, given(s, role))
    return file


def given_file(s: Settings, role: Role) -> Path:
    """Where it is, once it was asked for."""
    return s.home / "gateway" / f"{role}.password"


def users_file(s: Settings) -> Path:
    """Where the gateway reads who may log in."""
    return s.home / "gateway" / "users"


def write(s: Settings) -> Path:
    """Write that file anew. Raises PermanentFailure if a role has no password: nobody shall log in without one."""
    if missing := [role for role in Role if not password(s, role)]:
        names = ", ".join(f"DAYBREAK_GATEWAY_{role.upper()}_PASSWORD" for role in missing)
        raise PermanentFailure(f"the SQL gateway has no password for everybody ({names}): daybreak up makes them")
    file = users_file(s)
    file.parent.mkdir(parents=True, exist_ok=True)
    put(file, "".join(f"{role}:{_hashed(password(s, role))}\n" for role in Role))
    return file


def _hashed(text: str) -> str:
    """`salt:iterations:hash`, in hexadecimal."""
    salt = secrets.token_bytes(16)
    found = hashlib.pbkdf2_hmac("sha256", text.encode(), salt, ITERATIONS)
    return f"{salt.hex()}:{ITERATIONS}:{found.hex()}"
