"""The S3 client for work outside Spark: create the bucket, probe the store, list objects.

Data flow: Settings -> minio.Minio
Run: daybreak doctor
"""

from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import urllib3

from infra.lake.login import key
from infra.settings import Settings
from infra.store_users import User
from infra.tls import trust

if TYPE_CHECKING:
    from minio import Minio


def pool(s: Settings, **more: Any) -> urllib3.PoolManager:
    """Connections to the store; of ours they take a certificate of our CA alone, of yours one that the machine trusts."""
    return urllib3.PoolManager(cert_reqs="CERT_REQUIRED", ca_certs=trust.of_the_store(s), **more)


def client(s: Settings, tries: int = 3, seconds: float = 5, user: User | None = None) -> "Minio":
    """A client of the settings' endpoint with this process's key, or a `user`'s; it gives up after `tries` of `seconds` each."""
    # The roster of programs can make a bucket, and every command asks the roster: it takes as long to import as half of the rest.
    from minio import Minio

    endpoint, own = urlsplit(s.s3_endpoint), key(s, user)
    return Minio(
        endpoint=endpoint.netloc,
        access_key=own.access,
        secret_key=own.secret,
        region=s.s3_region,
        secure=endpoint.scheme == "https",
        http_client=pool(
            s, timeout=seconds, retries=urllib3.Retry(total=tries - 1, backoff_factor=0.2, raise_on_status=False)
        ),
    )
