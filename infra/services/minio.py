"""The embedded object store that holds the lake.

Data flow: Settings -> Program; then the bucket, by the S3 client, and the gateway's user, by MinIO's own administration
Run: daybreak up --only minio
"""

import json
from typing import Any
from urllib.parse import urlsplit

from infra.lake.s3 import client
from infra.services import health
from infra.services.program import Name, Program
from infra.settings import Settings

POLICY = "daybreak-gateway"


def make_bucket(s: Settings) -> None:
    """Create the lake's bucket where it is missing."""
    store = client(s)
    if not store.bucket_exists(s.bucket):
        store.make_bucket(s.bucket)


def let_gateway_in(s: Settings) -> None:
    """Make the user of the SQL gateway: it reads all, and writes gold only, so no statement can change another's table."""
    if not (s.embedded("gateway_host") and s.gateway_s3_access_key):
        return
    # As in infra/lake/s3.py: every command asks the roster, and only this needs the module.
    from minio import MinioAdmin
    from minio.credentials.providers import StaticProvider

    endpoint = urlsplit(s.s3_endpoint)
    root = StaticProvider(s.s3_access_key, s.s3_secret_key.get_secret_value())
    admin = MinioAdmin(
        endpoint=endpoint.netloc, credentials=root, region=s.s3_region, secure=endpoint.scheme == "https"
    )
    admin.policy_add(POLICY, policy=gold_only(s.bucket))
    if s.gateway_s3_access_key not in json.loads(admin.user_list()):
        admin.user_add(s.gateway_s3_access_key, s.gateway_s3_secret_key.get_secret_value())
    admin.policy_set(POLICY, user=s.gateway_s3_access_key)


def gold_only(bucket: str) -> dict[str, Any]:
    """The policy: read the bucket, write below `gold/`."""
    lake = f"arn:aws:s3:::{bucket}"
    write = ["s3:PutObject", "s3:DeleteObject", "s3:AbortMultipartUpload", "s3:ListMultipartUploadParts"]
    return {
        "Version": "2012-10-17",
        "Statement": [
            {"Effect": "Allow", "Action": ["s3:ListBucket", "s3:GetBucketLocation"], "Resource": [lake]},
            {"Effect": "Allow", "Action": ["s3:GetObject"], "Resource": [f"{lake}/*"]},
            {"Effect": "Allow", "Action": write, "Resource": [f"{lake}/gold/*"]},
        ],
    }


def _complete(s: Settings) -> None:
    make_bucket(s)
    let_gateway_in(s)


def program(s: Settings) -> Program:
    """The server, with its console; both on loopback, because the archived project has open CVEs."""
    return Program(
        name=Name.MINIO,
        command=(
            f"{s.home}/bin/minio",
            "server",
            "--address",
            f"127.0.0.1:{s.s3_port}",
            "--console-address",
            f"127.0.0.1:{s.s3_console_port}",
            f"{s.home}/minio",
        ),
        env={
            "MINIO_ROOT_USER": s.s3_access_key,
            "MINIO_ROOT_PASSWORD": s.s3_secret_key.get_secret_value(),
            "MINIO_REGION": s.s3_region,
            "MINIO_BROWSER": "on",
            "MINIO_UPDATE": "off",
            "MINIO_CALLHOME_ENABLE": "off",
        },
        ports={"s3_port": s.s3_port, "s3_console_port": s.s3_console_port},
        waits_for=lambda pid: health.minio(s),
        prepare=lambda: (s.home / "minio").mkdir(exist_ok=True),
        complete=lambda: _complete(s),
    )
