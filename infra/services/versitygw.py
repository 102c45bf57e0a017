"""versitygw as the embedded object store: an S3 server whose buckets are folders, and whose objects are files.

Data flow: Settings -> `<home>/store/{data,keys}` -> Program; then the bucket's policy
Run: daybreak up --only store
Source: versitygw 1.8.0, `versitygw posix --help`, and auth/iam_internal.go for the file of keys.

A write is on its way to the disk when it is acknowledged, as in Kafka: a death of the process takes nothing, a power cut may.
"""

import errno
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from infra.failures import PermanentFailure
from infra.lake.login import has_key, key
from infra.lake.s3 import client
from infra.owner_file import write
from infra.services import audit, health
from infra.services.program import Name, Program
from infra.settings import Settings
from infra.store_format import versitygw_folder
from infra.store_users import OWN, User
from infra.tls.files import files
from infra.tls.trust import context

HEALTH = "/health"


def program(s: Settings, complete: Callable[[], None]) -> Program:
    """The server, on loopback; the root's key is in its environment, the others in a file."""
    command = [
        f"{s.home}/bin/versitygw",
        *("--port", f"127.0.0.1:{s.s3_port}"),
        *(("--cert", str(files(s).certificate), "--key", str(files(s).key)) if s.has_tls else ()),
        *("--iam-dir", str(_keys(s))),
        *("--health", HEALTH),
        # Without it, a line for each request, that does not say whose it is.
        "--quiet",
        # These say; of them the refusals are kept.
        *("--access-log", "stdout", "--admin-access-log", "stdout"),
        "posix",
        # It sets modes itself, of new objects and folders.
        *("--file-perms", "0600", "--dir-perms", "0700"),
        str(versitygw_folder(s.home)),
    ]
    return Program(
        name=Name.STORE,
        command=audit.audited(s, Name.STORE, command, _names(s)),
        env={
            "ROOT_ACCESS_KEY_ID": s.s3_access_key,
            "ROOT_SECRET_ACCESS_KEY": s.s3_secret_key.get_secret_value(),
            "VGW_REGION": s.s3_region,
        },
        ports={"s3_port": s.s3_port},
        waits_for=lambda pid: health.page(f"{s.s3_endpoint}{HEALTH}", context(s, "s3_endpoint"))[0],
        prepare=lambda: prepare(s),
        complete=complete,
    )


def prepare(s: Settings) -> None:
    """Make its folders and its file of keys. Raises PermanentFailure on a file system that keeps no attributes."""
    data = versitygw_folder(s.home)
    for folder in (data.parent, data, _keys(s)):
        folder.mkdir(parents=True, exist_ok=True)
    refuse_without_attributes(data)
    write(_keys(s) / "users.json", {"accessAccounts": _accounts(s)})


def give_rights(s: Settings) -> None:
    """Make the bucket's policy what infra/lake/rights.py says; a key without a statement may do nothing."""
    # As in infra/lake/s3.py: every command asks the roster, and only this needs the tables' types, which are Spark's.
    from infra.lake.rights import statements

    # A server that has run since before a key was made reads the file when it first hears the key.
    write(_keys(s) / "users.json", {"accessAccounts": _accounts(s)})
    every = [(user, one) for user, own in statements(s).items() for one in own if has_key(s, user)]
    whose = [one | {"Principal": {"AWS": [key(s, user).access]}} for user, one in every]
    if whose:
        policy = {"Version": "2012-10-17", "Statement": whose}
        client(s, user=User.ROOT).set_bucket_policy(s.bucket, json.dumps(policy))


def _names(s: Settings) -> dict[str, str]:
    """Who has which access key."""
    return {key(s, user).access: user for user in User if user is User.ROOT or has_key(s, user)}


def _keys(s: Settings) -> Path:
    return s.home / "store" / "keys"


def _accounts(s: Settings) -> dict[str, dict[str, Any]]:
    """No account is an administrator's, or makes a bucket."""
    plain = {"role": "user", "userID": 0, "groupID": 0, "projectID": 0}
    keys = [key(s, user) for user in OWN if has_key(s, user)]
    return {one.access: {"access": one.access, "secret": one.secret, **plain} for one in keys}


def refuse_without_attributes(folder: Path) -> None:
    """Raise PermanentFailure if this file system keeps none: a write's ETag and type are attributes of its file."""
    try:
        os.setxattr(folder, "user.daybreak", b"1")
    except OSError as failure:
        if failure.errno != errno.ENOTSUP:
            raise
        raise PermanentFailure(
            f"the file system of {folder} keeps no extended attributes, which the object store needs: take another one "
            "(DAYBREAK_HOME), or set DAYBREAK_STORE=minio"
        ) from failure
