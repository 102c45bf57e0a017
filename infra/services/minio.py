"""MinIO as the embedded object store, for homes whose lake is in its format: the last commit of an archived project.

Data flow: Settings -> Program; then its users, by MinIO's own administration
Run: DAYBREAK_STORE=minio daybreak up --only store
"""

from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

from infra.lake.login import has_key, key
from infra.lake.s3 import pool
from infra.owner_file import put
from infra.services import health
from infra.services.program import Name, Program
from infra.settings import Settings
from infra.setup import on_demand
from infra.setup.store import MINIO_STEP
from infra.store_format import minio_folder
from infra.store_users import User
from infra.tls.files import files
from infra.tls.trust import context

POLICY = "daybreak-"
"""How the names of its users' policies begin."""


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
            *(("--certs-dir", str(_certificates(s))) if s.has_tls else ()),
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
        waits_for=lambda pid: health.page(f"{s.s3_endpoint}/minio/health/cluster", context(s, "s3_endpoint"))[0],
        prepare=lambda: prepare(s),
        complete=complete,
    )


def prepare(s: Settings) -> None:
    """Build the server, which `make setup` leaves out, and make its folder."""
    on_demand.ensure(MINIO_STEP)
    minio_folder(s.home).mkdir(exist_ok=True)
    if s.has_tls:
        # By names of its own. It reads a file again that changes, so it gets whole ones.
        folder, own = _certificates(s), files(s)
        (folder / "CAs").mkdir(parents=True, exist_ok=True)
        put(folder / "private.key", own.key.read_text())
        put(folder / "public.crt", own.certificate.read_text())


def _certificates(s: Settings) -> Path:
    return s.home / "minio-certificates"


def give_rights(s: Settings) -> None:
    """Make the users, each with a policy that infra/lake/rights.py says."""
    # As in infra/lake/s3.py: every command asks the roster, and only this needs these modules.
    from minio import MinioAdmin
    from minio.credentials.providers import StaticProvider

    from infra.lake.rights import statements

    endpoint, root = urlsplit(s.s3_endpoint), StaticProvider(*key(s, User.ROOT))
    admin = MinioAdmin(
        endpoint=endpoint.netloc,
        credentials=root,
        region=s.s3_region,
        secure=endpoint.scheme == "https",
        http_client=pool(s),
    )
    for user, own in statements(s).items():
        if has_key(s, user):
            admin.policy_add(f"{POLICY}{user}", policy={"Version": "2012-10-17", "Statement": own})
            # Also where it is known: its secret may be another one by now.
            admin.user_add(*key(s, user))
            admin.policy_set(f"{POLICY}{user}", user=key(s, user).access)
