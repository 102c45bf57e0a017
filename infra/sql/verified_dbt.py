"""dbt, as its own command, which looks at the certificate of our gateway: of itself it encrypts, and takes any.

Data flow: arguments -> dbt, with another transport
Run: python -m infra.sql.verified_dbt build
"""

from typing import Any

from dbt.adapters.spark import connections
from dbt.cli.main import cli

from infra.settings import settings
from infra.sql.reach import transport
from infra.tls.trust import context


def build_ssl_transport(host: str, port: int, username: str, password: str | None = None, **_: Any) -> Any:
    """In the place of dbt-spark's own, which sets CERT_NONE. Raises ValueError for a gateway that is not ours."""
    trusted = context(settings(), "gateway_host")
    if trusted is None:
        raise ValueError("this gateway has no certificate of our CA: use_ssl is for ours")
    return transport(host, port, username, password or "", trusted)


vars(connections)[build_ssl_transport.__name__] = build_ssl_transport

if __name__ == "__main__":
    cli()
