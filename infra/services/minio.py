"""MinIO as the embedded object store, for homes whose lake is in its format: the last commit of an archived project.

Data flow: Settings -> Program; then the gateway's user, by MinIO's own administration
Run: DAYBREAK_STORE=minio daybreak up --only store
"""

import json
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

from infra.services import health
from infra.services.program import Name, Program
from infra.settings import Settings
from infra.setup import on_demand
from infra.setup.store import MINIO_STEP
from infra.store_format import minio_folder

POLICY = "daybreak-gateway"


def program(s: Settings, complete: Callable[[], None]) -> Program:
    """The server, with its console; both on loopback, because the archived project has open CVEs."""
    return Program(
        name=Name.STORE,
        command=(
            f"{s.home}/bin/minio",
            "server",
            "--address",
            f"127.0.0.1:{s.s3_port}",
            "--console-address",
            f"127.0.0.1:{s.s3_console_port}",
            str(minio_folder(s.home)),
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
        # `live` is said before keys and buckets are read; until then every request is answered 503.
        waits_for=lambda pid: health.page(f"{s.s3_endpoint}/minio/health/cluster")[0],
        prepare=lambda: prepare(s),
        complete=complete,
    )


def prepare(s: Settings) -> None:
    """Build the server, which `make setup` leaves out, and make its folder."""
    on_demand.ensure(MINIO_STEP)
    minio_folder(s.home).mkdir(exist_ok=True)


def let_gateway_in(s: Settings, statements: list[dict[str, Any]]) -> None:
    """Make the gateway's user, with a policy of these statements."""
    # As in infra/lake/s3.py: every command asks the roster, and only this needs the module.
    from minio import MinioAdmin
    from minio.credentials.providers import StaticProvider

    endpoint = urlsplit(s.s3_endpoint)
    root = StaticProvider(s.s3_access_key, s.s3_secret_key.get_secret_value())
    admin = MinioAdmin(
        endpoint=endpoint.netloc, credentials=root, region=s.s3_region, secure=endpoint.scheme == "https"
    )
    admin.policy_add(POLICY, policy={"Version": "2012-10-17", "Statement": statements})
    if s.gateway_s3_access_key not in json.loads(admin.user_list()):
        admin.user_add(s.gateway_s3_access_key, s.gateway_s3_secret_key.get_secret_value())
    admin.policy_set(POLICY, user=s.gateway_s3_access_key)
