"""How each try of infra/lake/rights.py is done, as any user. What has several ways is tried in all of them.

Data flow: a try, a user -> requests to the store -> the ways that were done, and those that were refused
Run: pytest tests/platform/doors
"""

import io
import json
from collections.abc import Callable, Iterator

from minio import Minio, MinioAdmin
from minio.commonconfig import CopySource, Tags
from minio.credentials.providers import StaticProvider
from minio.deleteobjects import DeleteObject
from minio.error import MinioAdminException, S3Error
from store_wire import ask

from infra.lake.login import Key, key
from infra.lake.rights import WRITERS_OF, Try, folders
from infra.lake.s3 import client
from infra.services import store as program
from infra.settings import Settings
from infra.store_users import User

BODY, PARTS = b"new", bytes(5 * 2**20 + 1)
REFUSED = {"AccessDenied", "XAdminAccessDenied", "XMinioInvalidResourceName"}
"""What a known user hears; the last of a path with `..`."""
BESIDE = "beside"
Way = Callable[[], object]


def furnish(s: Settings) -> None:
    """Something in each folder to read, and for each user to delete."""
    own = client(s, user=User.ROOT)
    for folder in (*WRITERS_OF, BESIDE):
        for name in ("there", *(f"{kind}-{user}" for kind in ("one", "many", "more", "all") for user in User)):
            own.put_object(s.bucket, f"{folder}/{name}", io.BytesIO(BODY), len(BODY))


class As:
    """A user at a store."""

    def __init__(self, s: Settings, user: User) -> None:
        self.s, self.user = s, user
        self.key: Key = key(s, user)
        self.store: Minio = client(s, tries=1, user=user)

    def does(self, one: Try) -> dict[str, str | None]:
        """Every way of a try -> None, or the code of the refusal. Raises S3Error for any other trouble."""
        kind = one.what.replace(f"{one.folder}/", "").strip()
        return {way: _refusal(do) for way, do in WAYS[kind](self, one.folder or BESIDE)}

    def lists(self, _: str) -> Iterator[tuple[str, Way]]:
        yield "all", lambda: [*self.store.list_objects(self.s.bucket)]
        yield "the bucket", lambda: self.store.bucket_exists(self.s.bucket) or _deny()

    def reads(self, folder: str) -> Iterator[tuple[str, Way]]:
        yield "list", lambda: [*self.store.list_objects(self.s.bucket, f"{folder}/")]
        yield "look", lambda: self.store.stat_object(self.s.bucket, f"{folder}/there")
        yield "read", lambda: self.store.get_object(self.s.bucket, f"{folder}/there").close()

    def writes(self, folder: str) -> Iterator[tuple[str, Way]]:
        def put(name: str, body: bytes = BODY) -> Way:
            place = f"{folder}/{name}"
            return lambda: self.store.put_object(self.s.bucket, place, io.BytesIO(body), len(body), part_size=5 * 2**20)

        yield "make", put(f"made-by-{self.user}")
        yield "replace", put("there")
        yield "mark the folder", lambda: self.store.put_object(self.s.bucket, f"{folder}/", io.BytesIO(b""), 0)
        yield "upload in parts", put(f"parts-by-{self.user}", PARTS)
        source = CopySource(self.s.bucket, f"{folder}/there")
        yield "copy", lambda: self.store.copy_object(self.s.bucket, f"{folder}/copy-by-{self.user}", source)
        own = folders(self.s, self.user)
        for mine in own:
            if folder not in own:
                path = f"/{self.s.bucket}/{mine}/../{folder}/around-by-{self.user}"
                yield f"around from {mine}", lambda path=path: _deny(ask(self.s, "PUT", path, self.key, BODY))

    def deletes(self, folder: str) -> Iterator[tuple[str, Way]]:
        yield "delete", lambda: self.store.remove_object(self.s.bucket, f"{folder}/one-{self.user}")
        yield "delete many", lambda: self._delete_many(f"{folder}/many-{self.user}", f"{folder}/more-{self.user}")

    def deletes_all(self, _: str) -> Iterator[tuple[str, Way]]:
        yield "delete", lambda: self._delete_many(*(f"{folder}/all-{self.user}" for folder in WRITERS_OF))

    def _delete_many(self, *names: str) -> None:
        for failed in self.store.remove_objects(self.s.bucket, map(DeleteObject, names)):
            _deny(failed.code)

    def sees_policy(self, _: str) -> Iterator[tuple[str, Way]]:
        yield "see", lambda: self._policy()
        yield "change", lambda: self.store.set_bucket_policy(self.s.bucket, self._policy(User.ROOT))
        yield "remove", lambda: self.store.delete_bucket_policy(self.s.bucket)
        if self.user is User.ROOT:
            program.complete(self.s)

    def _policy(self, user: User | None = None) -> str:
        if self.s.store == "versitygw":
            return client(self.s, user=user or self.user).get_bucket_policy(self.s.bucket)
        # MinIO has none until somebody gives one: its users' policies are their own.
        one = {"Effect": "Allow", "Principal": {"AWS": ["*"]}, "Action": ["s3:GetObject"]}
        nothing = one | {"Resource": [f"arn:aws:s3:::{self.s.bucket}/nothing/*"]}
        self.store.set_bucket_policy(self.s.bucket, json.dumps({"Version": "2012-10-17", "Statement": [nothing]}))
        return self.store.get_bucket_policy(self.s.bucket)

    def settles(self, _: str) -> Iterator[tuple[str, Way]]:
        tags = Tags.new_bucket_tags()
        tags["by"] = self.user.value
        yield "tag", lambda: self.store.set_bucket_tags(self.s.bucket, tags)

    def makes_bucket(self, _: str) -> Iterator[tuple[str, Way]]:
        name = f"made-by-{self.user}"
        yield "make", lambda: self.store.make_bucket(name)
        # Another's, if one cannot make any.
        there = self.store if self.user is User.ROOT else client(self.s, user=User.ROOT)
        if not there.bucket_exists(name):
            there.make_bucket(name)
        yield "remove", lambda: self.store.remove_bucket(name)

    def sees_users(self, _: str) -> Iterator[tuple[str, Way]]:
        if self.s.store == "versitygw":
            yield "see", lambda: _deny(ask(self.s, "PATCH", "/list-users", self.key))
        else:
            at, own = self.s.s3_endpoint.removeprefix("http://"), StaticProvider(*self.key)
            admin = MinioAdmin(endpoint=at, credentials=own, region=self.s.s3_region, secure=False)
            yield "see", admin.user_list


class Denied(Exception):
    """A refusal that no client raises; its text is the store's word for it."""


def _deny(code: str | None = "AccessDenied") -> None:
    if code:
        raise Denied(code)


def _refusal(do: Way) -> str | None:
    try:
        do()
    except (S3Error, Denied) as failure:
        code = failure.code if isinstance(failure, S3Error) else str(failure)
        if code not in REFUSED:
            raise
        return str(code)
    except MinioAdminException as failure:
        if "AccessDenied" not in str(failure):
            raise
        return "AccessDenied"
    return None


WAYS: dict[str, Callable[[As, str], Iterator[tuple[str, Way]]]] = {
    "list the lake": As.lists,
    "read in": As.reads,
    "write in": As.writes,
    "delete in": As.deletes,
    "write beside these folders": As.writes,
    "delete objects of all folders with one request": As.deletes_all,
    "see, change and remove the bucket's policy": As.sees_policy,
    "change the bucket's settings": As.settles,
    "make and remove a bucket": As.makes_bucket,
    "see users": As.sees_users,
}
