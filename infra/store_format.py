"""In whose format a home's lake is: each of the embedded stores keeps its own, and neither reads the other's.

Data flow: folders of the home -> the store's name, or a sentence
Run: daybreak status
"""

from pathlib import Path
from typing import Literal

Store = Literal["versitygw", "minio"]


def versitygw_folder(home: Path) -> Path:
    """Where versitygw keeps the lake: a folder per bucket, a file per object."""
    return home / "store" / "data"


def minio_folder(home: Path) -> Path:
    """Where MinIO keeps it."""
    return home / "minio"


def kept(home: Path) -> Store | None:
    """Whose lake this home has; None if none was made yet. Of a lake that was copied from MinIO, the copy counts."""
    lake = versitygw_folder(home)
    if lake.is_dir() and any(one.is_dir() and not one.name.startswith(".") for one in lake.iterdir()):
        return "versitygw"
    return "minio" if (minio_folder(home) / ".minio.sys").is_dir() else None


def usual(home: Path) -> Store:
    """The store of this home where no setting names one."""
    return kept(home) or "versitygw"


def other_format(home: Path, store: Store) -> str | None:
    """Would `store` begin an empty lake beside the one that this home has? Why not, and what to do, as a sentence."""
    has = kept(home)
    if has is None or has == store:
        return None
    move = "`daybreak move-store` moves it; else " if store == "versitygw" else ""
    return (
        f"the lake of {home} was made by {has}, and {store} would begin an empty one: {move}leave DAYBREAK_STORE out, or set "
        f"it to {has}"
    )
