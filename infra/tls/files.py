"""Where the certificates are: `<home>/tls`, each in the form that some service or client wants.

Data flow: Settings -> paths
Run: daybreak up
"""

import hashlib
from dataclasses import dataclass
from pathlib import Path

from infra.settings import Settings
from infra.tls_settings import ca_file

OPENS = "daybreak"
"""The password of Java's files, which want one. It keeps nothing secret: the files' modes do."""


@dataclass(frozen=True)
class Files:
    """All are written at once, by infra/tls/prepare.py; what has a key in it is its owner's alone (0600)."""

    ca: Path

    @property
    def ca_key(self) -> Path:
        """Our own CA's key; of a CA of yours there is none here."""
        return self.ca.with_name("ca.key")

    @property
    def certificate(self) -> Path:
        """The services' certificate, with what is between it and its CA."""
        return self.ca.with_name("server.pem")

    @property
    def key(self) -> Path:
        """Its key."""
        return self.ca.with_name("server.key")

    @property
    def key_and_certificate(self) -> Path:
        """Both, as Kafka takes them."""
        return self.ca.with_name("server-both.pem")

    @property
    def keystore(self) -> Path:
        """The same for the SQL gateway, whose Java takes no other form (PKCS #12)."""
        return self.ca.with_name("server.p12")

    @property
    def trusted(self) -> Path:
        """The CA, and those that this machine trusts: for clients that can be given one file only for all they talk to."""
        return self.ca.with_name("trusted.pem")

    @property
    def trusted_by_java(self) -> Path:
        """The same for a JVM (PKCS #12)."""
        return self.ca.with_name("trusted.p12")


def fingerprint(s: Settings) -> str:
    """Of what is served and trusted now; empty before the first start."""
    own = files(s)
    there = [file.read_bytes() for file in (own.certificate, own.ca) if file.exists()]
    return hashlib.sha256(b"".join(there)).hexdigest() if there else ""


def files(s: Settings) -> Files:
    """Of a home."""
    return Files(ca_file(s.home))
