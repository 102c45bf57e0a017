"""The embedded object store that holds the lake: which server it is, its bucket, and what each user's key may do there.

Data flow: Settings -> Program; then the bucket, by the S3 client, and its users' rights
Run: daybreak up --only store
"""

from infra.failures import PermanentFailure
from infra.lake.s3 import client
from infra.services import minio, versitygw
from infra.services.program import Program
from infra.settings import Settings
from infra.store_format import other_format
from infra.store_users import User

PROGRAMS = {"versitygw": versitygw.program, "minio": minio.program}
GIVES = {"versitygw": versitygw.give_rights, "minio": minio.give_rights}


def refuse_other_format(s: Settings) -> None:
    """Raise PermanentFailure if this home's lake was made by another embedded store; nothing has been stopped yet."""
    if s.embedded("s3_endpoint") and (why := other_format(s.home, s.store)):
        raise PermanentFailure(why)


def program(s: Settings) -> Program:
    """The server that the settings name."""
    return PROGRAMS[s.store](s, lambda: complete(s))


def complete(s: Settings) -> None:
    """Create the lake's bucket where it is missing, and give each user its rights in it, and no other."""
    make_bucket(s)
    GIVES[s.store](s)


def make_bucket(s: Settings) -> None:
    """Create the lake's bucket where it is missing."""
    store = client(s, user=User.ROOT)
    if not store.bucket_exists(s.bucket):
        store.make_bucket(s.bucket)
