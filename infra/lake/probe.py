"""The S3 probe: test on the store itself whether it offers what Delta needs.

Data flow: objects under `probe/` of the bucket -> one Finding per need; nothing is left behind
Run: daybreak doctor
Source: Delta Lake documentation, "Storage configuration": S3 with one driver needs consistency; delta-rs, "Writing to S3":
a commit is a conditional PUT.
"""

import io
import uuid
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from threading import Barrier

import urllib3
from minio import Minio
from minio.error import MinioException

from infra.lake.s3 import client
from infra.lake.s3 import pool as connections
from infra.settings import Settings
from infra.store_users import User

ROUNDS = 10
"""Tries per need: an inconsistent store does not fail every time."""
RACERS = 8
"""Writers that ask at once to create one object."""
ANSWER_SECONDS = 10
CREATED = 200
PART = 5 * 1024 * 1024
"""The smallest part of a multipart upload that S3 allows."""


@dataclass(frozen=True)
class Finding:
    """One need and whether the store meets it; `problem` is None when it does."""

    need: str
    problem: str | None


def probe(s: Settings) -> Iterator[Finding]:
    """Try every need in turn; stops after the first one if the store does not answer at all."""
    store = client(s, tries=1, user=User.ROOT)
    ours = s.embedded("s3_endpoint")
    try:
        hint = "`daybreak up` creates it" if ours else "create it"
        problem = None if store.bucket_exists(s.bucket) else f"there is no bucket {s.bucket!r}; {hint}"
    except (MinioException, urllib3.exceptions.HTTPError) as failure:
        hint = "`daybreak up` starts it" if ours else "check DAYBREAK_S3_ENDPOINT and the keys"
        problem = f"{s.s3_endpoint} does not answer as it should ({type(failure).__name__}); {hint}"
    yield Finding(f"bucket {s.bucket} at {s.s3_endpoint}", problem)
    if problem:
        return
    place = f"probe/{uuid.uuid4().hex}"
    for need, attempt in NEEDS.items():
        try:
            yield Finding(need, attempt(store, s, place))
        except (MinioException, urllib3.exceptions.HTTPError) as failure:
            yield Finding(need, str(failure))
    for left in store.list_objects(s.bucket, prefix=f"{place}/", recursive=True):
        store.remove_object(s.bucket, str(left.object_name))


def _put(store: Minio, bucket: str, key: str, body: bytes) -> None:
    store.put_object(bucket, key, io.BytesIO(body), len(body))


def _get(store: Minio, bucket: str, key: str) -> bytes:
    answer = store.get_object(bucket, key)
    try:
        return bytes(answer.read())
    finally:
        answer.close()
        answer.release_conn()


def _listed(store: Minio, bucket: str, prefix: str) -> list[str]:
    return [str(entry.object_name) for entry in store.list_objects(bucket, prefix=prefix, recursive=True)]


def _read_after_write(store: Minio, s: Settings, place: str) -> str | None:
    for number in range(ROUNDS):
        key, body = f"{place}/write/{number:020}.json", uuid.uuid4().bytes
        _put(store, s.bucket, key, body)
        if _get(store, s.bucket, key) != body:
            return "an object just written was read with other content"
    return None


def _overwrite(store: Minio, s: Settings, place: str) -> str | None:
    for number in range(ROUNDS):
        _put(store, s.bucket, f"{place}/over", str(number).encode())
        if _get(store, s.bucket, f"{place}/over") != str(number).encode():
            return "an object just overwritten was read with its old content"
    return None


def _list_after_write(store: Minio, s: Settings, place: str) -> str | None:
    for number in range(ROUNDS):
        _put(store, s.bucket, f"{place}/list/{number:020}.json", b"{}")
        found = _listed(store, s.bucket, f"{place}/list/")
        if found != [f"{place}/list/{n:020}.json" for n in range(number + 1)]:
            return "a listing lacked an object just written, or was not in order of names"
    return None


def _delete(store: Minio, s: Settings, place: str) -> str | None:
    _put(store, s.bucket, f"{place}/gone/one", b"x")
    store.remove_object(s.bucket, f"{place}/gone/one")
    return "a deleted object was still listed" if _listed(store, s.bucket, f"{place}/gone/") else None


def _multipart(store: Minio, s: Settings, place: str) -> str | None:
    body = uuid.uuid4().bytes * (2 * PART // 16)
    store.put_object(s.bucket, f"{place}/parts", io.BytesIO(body), -1, part_size=PART)
    return (
        None
        if _get(store, s.bucket, f"{place}/parts") == body
        else "an object uploaded in parts was read with other content"
    )


def _one_winner(store: Minio, s: Settings, place: str) -> str | None:
    with ThreadPoolExecutor(RACERS) as racers, connections(s, maxsize=RACERS, timeout=ANSWER_SECONDS) as pool:
        for number in range(ROUNDS):
            key, together = f"{place}/race/{number:020}.json", Barrier(RACERS)
            # The S3 client sends no conditions; a signed address may be used with any.
            address = store.get_presigned_url("PUT", s.bucket, key)

            def create(racer: int, address: str = address, together: Barrier = together) -> int:
                together.wait(ANSWER_SECONDS)
                mine, new = str(racer).encode(), {"If-None-Match": "*"}
                return pool.request("PUT", address, body=mine, headers=new, retries=False).status

            said = list(racers.map(create, range(RACERS)))
            if said.count(CREATED) != 1:
                return (
                    f"of {RACERS} writers that create one object (If-None-Match), {said.count(CREATED)} were told that they "
                    f"did (answers {sorted(set(said))}): two commits to one table could replace each other"
                )
            if _get(store, s.bucket, key) != str(said.index(CREATED)).encode():
                return "a writer was told that it created an object, and another's is there"
    return None


NEEDS: dict[str, Callable[[Minio, Settings, str], str | None]] = {
    "read after write": _read_after_write,
    "read after overwrite": _overwrite,
    "list after write, in order": _list_after_write,
    "list after delete": _delete,
    "upload in parts": _multipart,
    "conditional PUT: of many writers one": _one_winner,
}
