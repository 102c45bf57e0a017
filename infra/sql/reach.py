"""How a Python client reaches the SQL gateway: plainly, or by TLS, whose certificate it looks at.

Data flow: Settings, a role -> what PyHive is told
Run: daybreak query "SHOW DATABASES"

PyHive speaks TLS only by a transport that it is given, and dbt's own transport looks at no certificate.
"""

import ssl
from typing import Any

import thrift_sasl  # type: ignore[import-untyped]
from pyhive import hive
from thrift.transport.TSocket import TSocket
from thrift.transport.TTransport import TTransportException

from infra.settings import Settings
from infra.sql.users import Role, given
from infra.tls.files import OPENS, files
from infra.tls.trust import context


class Encrypted(TSocket):  # type: ignore[misc]
    """Thrift's own encrypted socket takes a refused certificate for a server that is away, and cannot be closed after it."""

    handle: Any

    def __init__(self, host: str, port: int, trusted: ssl.SSLContext) -> None:
        super().__init__(host, port)
        self._name, self._trusted = host, trusted

    def isOpen(self) -> bool:  # noqa: N802
        """Thrift would look at the first byte, which an encrypted socket does not show."""
        return self.handle is not None

    def open(self) -> None:
        """Connect, and look at the certificate. Raises TTransportException; if it is refused, `inner` says why."""
        super().open()
        try:
            self.handle = self._trusted.wrap_socket(self.handle, server_hostname=self._name)
        except OSError as refused:
            self.close()
            raise TTransportException(TTransportException.NOT_OPEN, str(refused), refused) from refused


def is_encrypted(s: Settings) -> bool:
    """Does the gateway speak TLS? Of one of yours we do not know."""
    return s.has_tls and s.embedded("gateway_host")


def reached(s: Settings, role: Role) -> dict[str, Any]:
    """The arguments of PyHive's `connect`."""
    password, trusted = given(s, role), context(s, "gateway_host")
    if trusted is None:
        where = {"host": s.gateway_host, "port": s.gateway_port}
        return {**where, "username": str(role), "password": password, "auth": "CUSTOM"}
    return {"thrift_transport": transport(s.gateway_host, s.gateway_port, str(role), password, trusted)}


def transport(host: str, port: int, user: str, password: str, trusted: ssl.SSLContext) -> Any:
    """An encrypted connection, not open yet, to the server that can prove to be `host`."""

    def login() -> Any:
        return hive.get_installed_sasl(host=host, sasl_auth="PLAIN", username=user, password=password)

    return thrift_sasl.TSaslClientTransport(login, "PLAIN", Encrypted(host, port, trusted))


def jdbc(s: Settings) -> str:
    """The gateway's address for Hive's JDBC driver, without user and password."""
    where = f"jdbc:hive2://{s.gateway_host}:{s.gateway_port}"
    if not is_encrypted(s):
        return where
    return f"{where}/;ssl=true;sslTrustStore={files(s).trusted_by_java};trustStorePassword={OPENS}"
