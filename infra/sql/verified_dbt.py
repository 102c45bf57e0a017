"""dbt, as its own command, which looks at the certificate of our gateway: of itself it encrypts, and takes any.

Data flow: arguments -> dbt, with another transport
Run: python -m infra.sql.verified_dbt build
"""

import os
import ssl
from typing import Any

from dbt.adapters.spark import connections
from dbt.cli.main import cli

from infra.sql.reach import transport

AUTHORITY = "DAYBREAK_GATEWAY_CA"
"""Where it is told which CA to trust: by the settings it cannot tell, as dbt is given host and port by their variables."""


def build_ssl_transport(host: str, port: int, username: str, password: str | None = None, **_: Any) -> Any:
    """In the place of dbt-spark's own, which sets CERT_NONE. Raises KeyError without AUTHORITY."""
    trusted = ssl.create_default_context(cafile=os.environ[AUTHORITY])
    return transport(host, port, username, password or "", trusted)


vars(connections)[build_ssl_transport.__name__] = build_ssl_transport

if __name__ == "__main__":
    cli()
