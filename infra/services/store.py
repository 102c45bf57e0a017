"""The embedded object store that holds the lake: which server it is, its bucket, and what the SQL gateway's key may do there.

Data flow: Settings -> Program; then the bucket, by the S3 client, and the policy of the gateway's key
Run: daybreak up --only store
"""

from typing import Any

from infra.failures import PermanentFailure
from infra.lake.s3 import client
from infra.services import minio, versitygw
from infra.services.program import Program
from infra.settings import Settings
from infra.store_format import other_format

PROGRAMS = {"versitygw": versitygw.program, "minio": minio.program}
LETS_IN = {"versitygw": versitygw.let_gateway_in, "minio": minio.let_gateway_in}


def refuse_other_format(s: Settings) -> None:
    """Raise PermanentFailure if this home's lake was made by another embedded store; nothing has been stopped yet."""
    if s.embedded("s3_endpoint") and (why := other_format(s.home, s.store)):
        raise PermanentFailure(why)


def program(s: Settings) -> Program:
    """The server that the settings name."""
    return PROGRAMS[s.store](s, lambda: complete(s))


def complete(s: Settings) -> None:
    """Create the lake's bucket where it is missing, and say what the gateway's key may do in it."""
    make_bucket(s)
    if s.embedded("gateway_host") and s.gateway_s3_access_key:
        LETS_IN[s.store](s, gold_only(s.bucket))


def make_bucket(s: Settings) -> None:
    """Create the lake's bucket where it is missing."""
    store = client(s)
    if not store.bucket_exists(s.bucket):
        store.make_bucket(s.bucket)


def gold_only(bucket: str) -> list[dict[str, Any]]:
    """The statements of the gateway's policy: read the bucket, write below `gold/`, so no statement changes another's table."""
    lake = f"arn:aws:s3:::{bucket}"
    write = ["s3:PutObject", "s3:DeleteObject", "s3:AbortMultipartUpload", "s3:ListMultipartUploadParts"]
    return [
        {"Effect": "Allow", "Action": ["s3:ListBucket", "s3:GetBucketLocation"], "Resource": [lake]},
        {"Effect": "Allow", "Action": ["s3:GetObject"], "Resource": [f"{lake}/*"]},
        {"Effect": "Allow", "Action": write, "Resource": [f"{lake}/gold/*"]},
    ]
