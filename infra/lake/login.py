"""How a program of ours says to the lake's store who it is, and what it hears that the store refuses.

Data flow: Settings, who this process is -> access key and secret of delta-rs, Arrow, minio and Spark; an error -> a sentence
Run: daybreak connect s3

Keys are read from the settings, and sent with each request: no request is made for them.
"""

import re
from typing import NamedTuple

from infra.cause import sentence
from infra.failures import PermanentFailure, TransientFailure
from infra.settings import Settings, settings
from infra.store_users import User

REFUSED = re.compile(
    r"\bAccessDenied\b|\bACCESS_DENIED\b|\bInvalidAccessKeyId\b|\bINVALID_ACCESS_KEY_ID\b|\bSignatureDoesNotMatch\b"
    r"|\bSIGNATURE_DOES_NOT_MATCH\b|AccessDeniedException: s3a:|non-2xx status code: 403\b|\(Service: S3, Status Code: 403\b"
)
"""What S3 answers to a key that it does not know, or that has no right to what it asks for, in the words of each client."""
HELP = "(daybreak connect s3 shows how to log in, and infra/README.md who may do what)"
_acting = [User.READER]


class Key(NamedTuple):
    """An access key and its secret."""

    access: str
    secret: str


def act_as(user: User) -> None:
    """From now on this process is that user. A command of a person's reads."""
    _acting[0] = user


def acting() -> User:
    """Who this process is."""
    return _acting[0]


def has_key(s: Settings, user: User) -> bool:
    """Has the user a key of its own?"""
    return bool(getattr(s, user.access_setting))


def key(s: Settings, user: User | None = None) -> Key:
    """The user's key; who has none of its own takes the one of the whole store, as a store of yours may have one only."""
    who = user or acting()
    if not has_key(s, who):
        who = User.ROOT
    return Key(getattr(s, who.access_setting), getattr(s, who.secret_setting).get_secret_value())


def refusal(said: str) -> str | None:
    """Of an error's text: who was refused what, and the command that helps; None if the store has refused nothing."""
    if not REFUSED.search(said):
        return None
    start = f"the object store at {settings().s3_endpoint} refuses this to {acting()}: "
    cause = sentence(said)
    # Said already, where it happened, and wrapped since by Spark.
    told = cause if start in cause else f"{start}{cause}"
    return told if HELP in told else f"{told} {HELP}"


def failed(what: str, failure: Exception) -> PermanentFailure | TransientFailure:
    """The failure to raise for an error of the store, which is told behind `what`: what is refused stays so."""
    why = refusal(str(failure))
    return PermanentFailure(f"{what}: {why}") if why else TransientFailure(f"{what}: {failure}")
