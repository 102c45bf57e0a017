"""The embedded object store that holds the lake.

Data flow: Settings -> Program; then the bucket, by the S3 client
Run: daybreak up --only minio
"""

from infra.lake.s3 import client
from infra.services import health
from infra.services.program import Name, Program
from infra.settings import Settings


def make_bucket(s: Settings) -> None:
    """Create the lake's bucket where it is missing."""
    store = client(s)
    if not store.bucket_exists(s.bucket):
        store.make_bucket(s.bucket)


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
        complete=lambda: make_bucket(s),
    )
