"""Who may do what with the lake's store: what each user is granted, and what a test tries as every user, with who may.

Data flow: the writer of each layer (infra/lake/tables.py), Settings -> statements of the store's policies; TRIES -> a test on
running stores, a table of infra/README.md
Run: pytest tests/infra/test_store_rights.py tests/platform/doors

The root may do everything, and needs no grant: its key makes the bucket and says what the others may do.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from infra.lake.tables import WRITERS
from infra.marked_page import made_anew
from infra.rights_table import table
from infra.settings import Settings
from infra.store_users import OWN, User

MARKERS = "<!-- who may do what with S3: made by make catalog -->", "<!-- end of who may do what with S3 -->"
REPORTS = "reports"
"""The folder of the nights' reports."""
LIST, READ = ("s3:ListBucket", "s3:GetBucketLocation"), ("s3:GetObject",)
WRITE = ("s3:PutObject", "s3:DeleteObject", "s3:AbortMultipartUpload", "s3:ListMultipartUploadParts")
Statement = dict[str, Any]


def folders(s: Settings, user: User) -> tuple[str, ...]:
    """What the user writes, at the bucket's root: the layers whose tables it writes, and what else is its own."""
    layers = tuple(layer for layer, writer in WRITERS.items() if writer.value == user.value)
    more = {User.NIGHT: (REPORTS,), User.STREAM: _checkpoints(s)}
    return (*layers, *more.get(user, ()))


def _checkpoints(s: Settings) -> tuple[str, ...]:
    """The folder of the stream's checkpoints, if it is in the lake."""
    inside = s.checkpoints.rstrip("/").removeprefix(f"{s.lake}/")
    return () if inside == s.checkpoints.rstrip("/") else (inside,)


def statements(s: Settings) -> Mapping[User, list[Statement]]:
    """What each user may do in the bucket: list it, read it, and write below its own folders."""
    lake = f"arn:aws:s3:::{s.bucket}"
    found: dict[User, list[Statement]] = {}
    for user in OWN:
        own = [_allowed(LIST, lake), _allowed(READ, f"{lake}/*")]
        # Hadoop writes an object for the folder itself, which versitygw does not count among those below it.
        if places := [f"{lake}/{folder}/{below}" for folder in folders(s, user) for below in ("", "*")]:
            own.append(_allowed(WRITE, *places))
        found[user] = own
    return found


def _allowed(may: tuple[str, ...], *on: str) -> Statement:
    return {"Effect": "Allow", "Action": [*may], "Resource": [*on]}


@dataclass(frozen=True)
class Try:
    """Something to do with the store, and who may. `folder`: of which objects."""

    what: str
    may: tuple[User, ...]
    folder: str = ""


ADMIN = (User.ROOT,)
WRITERS_OF = {**{folder: User(writer) for folder, writer in WRITERS.items()}, REPORTS: User.NIGHT}
TRIES = (
    Try("list the lake", tuple(User)),
    *(Try(f"read in {folder}/", tuple(User), folder) for folder in WRITERS_OF),
    *(Try(f"write in {folder}/", (User.ROOT, writer), folder) for folder, writer in WRITERS_OF.items()),
    *(Try(f"delete in {folder}/", (User.ROOT, writer), folder) for folder, writer in WRITERS_OF.items()),
    Try("write beside these folders", ADMIN),
    Try("delete objects of all folders with one request", ADMIN),
    Try("see, change and remove the bucket's policy", ADMIN),
    Try("change the bucket's settings", ADMIN),
    Try("make and remove a bucket", ADMIN),
    Try("see users", ADMIN),
)


def page(text: str) -> str:
    """The page with a new table. Raises ValueError where the markers are missing."""
    return made_anew(text, MARKERS, table(TRIES, User))
