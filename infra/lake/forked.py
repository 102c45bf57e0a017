"""A copy of the lake's tables in another bucket of the same store: by the store itself, while their writers go on.

Data flow: a bucket's layers -> another bucket, object by object; a bucket -> none
Run: daybreak plan --try; daybreak abandon

Of each table the log is copied first, then the files, which are there before the log names them. So a table is as it was when its
log was listed, and what must not name more than the others have is copied before them.
"""

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor

import urllib3
from minio import Minio
from minio.commonconfig import CopySource
from minio.deleteobjects import DeleteObject
from minio.error import MinioException, S3Error

from infra.failures import TransientFailure

LOG, LAST = "_delta_log/", "_delta_log/_last_checkpoint"
AT_ONCE = 8


def copy(store: Minio, source: str, target: str, layers: Sequence[str], first: str, done: Callable[[int], None]) -> int:
    """Copy the tables of some layers, the table `first` (`layer/name`) before all others; the number of objects.

    Raises TransientFailure if the store does not do it.
    """
    number = 0

    def each(names: Iterable[str]) -> None:
        nonlocal number
        for _ in pool.map(lambda name: _copy(store, source, target, name), names):
            number += 1
            done(number)

    try:
        tables = [one for layer in layers for one in _names(store, source, f"{layer}/", recursive=False)]
        with ThreadPoolExecutor(AT_ONCE) as pool:
            for table in sorted(tables, key=lambda one: (one != f"{first}/", one)):
                # The checkpoint that it names is in the log by now; a later one may not be when the log is listed.
                each([table + LAST])
                each([one for one in _names(store, source, table + LOG) if one != table + LAST])
                each([one for one in _names(store, source, table) if not one.startswith(table + LOG)])
    except (MinioException, urllib3.exceptions.HTTPError) as failure:
        raise TransientFailure(f"the lake was not copied from {source!r} to {target!r}: {failure}") from failure
    return number


def drop(store: Minio, bucket: str, layers: Sequence[str] = ()) -> None:
    """Remove a bucket with all in it; of one that has more than `layers`, if there are any, only these.

    Raises TransientFailure if the store does not do it.
    """
    try:
        if not store.bucket_exists(bucket):
            return
        for place in [f"{layer}/" for layer in layers] or [""]:
            gone = [DeleteObject(one) for one in sorted(_names(store, bucket, place, folders=True), reverse=True)]
            if failed := list(store.remove_objects(bucket, gone)):
                raise TransientFailure(f"{len(failed)} objects of the bucket {bucket!r} stay: {failed[0]}")
        if not _names(store, bucket, "", recursive=False):
            store.remove_bucket(bucket)
    except (MinioException, urllib3.exceptions.HTTPError) as failure:
        raise TransientFailure(f"the bucket {bucket!r} was not removed: {failure}") from failure


def _names(store: Minio, bucket: str, prefix: str, recursive: bool = True, folders: bool = False) -> list[str]:
    """The objects below a prefix; not `recursive`: what is directly below it; `folders`: with those that stand for folders."""
    found = [one.object_name or "" for one in store.list_objects(bucket, prefix, recursive=recursive)]
    return found if folders or not recursive else [one for one in found if not one.endswith("/")]


def _copy(store: Minio, source: str, target: str, name: str) -> None:
    try:
        store.copy_object(target, name, CopySource(source, name))
    except S3Error as failure:
        # Upkeep has removed it since it was listed, and no version that is copied names it; or a log has no checkpoint yet.
        if failure.code not in ("NoSuchKey", "NoSuchObject"):
            raise
