"""Copy the buckets of one store into the folders of another, each object with its bytes and its time.

Data flow: an S3 store -> versitygw, whose files are then compared with what was read
Run: daybreak move-store
"""

import hashlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO, cast

from minio import Minio

from infra.failures import TransientFailure


class _Hashed:
    """A body that is read once, and its hash."""

    def __init__(self, body: Any) -> None:
        self._body, self.digest = body, hashlib.sha256()

    def read(self, size: int = -1) -> bytes:
        found = bytes(self._body.read(size if size >= 0 else None))
        self.digest.update(found)
        return found


def copy(source: Minio, target: Minio, folder: Path, done: Callable[[int], None]) -> int:
    """Copy every object of every bucket; the number of them. `folder` is where the target keeps its buckets.

    Delta takes the age of a log's entry from the object's time, so the copy has that of the original.
    Raises TransientFailure if a file does not hold what was read, and what the S3 client raises.
    """
    number = 0
    for bucket in source.list_buckets():
        if not target.bucket_exists(bucket.name):
            target.make_bucket(bucket.name)
        for one in source.list_objects(bucket.name, recursive=True):
            _copy(source, target, folder, bucket.name, one)
            number += 1
            done(number)
    return number


def _copy(source: Minio, target: Minio, folder: Path, bucket: str, one: Any) -> None:
    answer = source.get_object(bucket, one.object_name)
    try:
        body = _Hashed(answer)
        target.put_object(bucket, one.object_name, cast(BinaryIO, body), one.size)
    finally:
        answer.close()
        answer.release_conn()
    file = folder / bucket / one.object_name
    if not one.object_name.endswith("/"):
        with file.open("rb") as copied:
            if hashlib.file_digest(copied, "sha256").digest() != body.digest.digest():
                raise TransientFailure(f"{file} does not hold what was read: try again")
    at = one.last_modified.timestamp()
    os.utime(file, (at, at))
