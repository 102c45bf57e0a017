"""Is a certificate fit to be served? Each thing that may be wrong with one is a sentence that says what to do.

Data flow: PEM texts, the host, now -> nothing, or PermanentFailure
Run: daybreak up

Whether a client would take it is asked of OpenSSL, by a handshake in memory: what it says here, clients would say later.
"""

import ssl
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat, load_pem_private_key

from infra.failures import PermanentFailure

CERTIFICATE, KEY, CA = "DAYBREAK_TLS_CERTIFICATE", "DAYBREAK_TLS_KEY", "DAYBREAK_TLS_CA"

TIME_IS_CHECKED = 0x200000
"""X509_V_FLAG_NO_CHECK_TIME of OpenSSL: with dates in the sentence it is said above, and by the clock that is asked for."""

PrivateKey = RSAPrivateKey | EllipticCurvePrivateKey
"""Kinds of keys that every one of the services takes."""


@dataclass(frozen=True)
class Given:
    """What is to be served: the certificate with what is between it and its CA, its key, the CA. Each by the file it is in."""

    certificates: list[x509.Certificate]
    key: PrivateKey
    ca: list[x509.Certificate]
    certificate_file: Path
    key_file: Path
    ca_file: Path

    @property
    def ends(self) -> datetime:
        """When the first of them ends."""
        return min(one.not_valid_after_utc for one in (*self.certificates, *self.ca))


def read(certificate: Path, key: Path, ca: Path) -> Given:
    """The three files. Raises PermanentFailure for one that is missing, or has something else in it."""
    certificates, authorities = _certificates(CERTIFICATE, certificate), _certificates(CA, ca)
    try:
        own = load_pem_private_key(_bytes(KEY, key), None)
    except TypeError:
        raise PermanentFailure(
            f"{KEY}: {key} wants a passphrase, which the services have nobody to ask for: write it without one (openssl pkey "
            "-in ... -out ...; chmod 600)"
        ) from None
    except ValueError:
        raise PermanentFailure(f"{KEY}: {key} has no private key in PEM") from None
    if not isinstance(own, PrivateKey):
        raise PermanentFailure(f"{KEY}: {key} is neither an RSA nor an EC key: not every service takes another kind")
    return Given(certificates, own, authorities, certificate, key, ca)


def refuse_unfit(given: Given, host: str, now: datetime) -> None:
    """Raises PermanentFailure if clients would not take it."""
    own, form = given.certificates[0], (Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    if own.public_key().public_bytes(*form) != given.key.public_key().public_bytes(*form):
        raise PermanentFailure(f"{KEY}: {given.key_file} is not the key of the certificate in {given.certificate_file}")
    for name, file, every in (
        (CERTIFICATE, given.certificate_file, given.certificates),
        (CA, given.ca_file, given.ca),
    ):
        for one in every:
            _refuse_other_time(f"{name}: {file}", one, now)
    try:
        _meet(given, host)
    except ssl.SSLCertVerificationError as refused:
        raise PermanentFailure(
            f"{CERTIFICATE}: clients that trust {given.ca_file} do not take {given.certificate_file} for {host} "
            f"(DAYBREAK_TLS_HOST): {refused.verify_message}"
        ) from None
    except ssl.SSLError as refused:
        raise PermanentFailure(f"{CERTIFICATE}: {given.certificate_file} cannot be served: {refused}") from None


def _refuse_other_time(what: str, one: x509.Certificate, now: datetime) -> None:
    if now > one.not_valid_after_utc:
        raise PermanentFailure(
            f"{what} has a certificate that has expired, on {one.not_valid_after_utc:%Y-%m-%d} ({_who(one)})"
        )
    if now < one.not_valid_before_utc:
        raise PermanentFailure(
            f"{what} has a certificate that is good from {one.not_valid_before_utc:%Y-%m-%d %H:%M} UTC on ({_who(one)}); "
            "is this machine's clock right?"
        )


def _meet(given: Given, host: str) -> None:
    """A handshake between a server that has it and a client that trusts its CA. Raises ssl.SSLError."""
    server, client = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER), ssl.create_default_context(cafile=str(given.ca_file))
    client.verify_flags = ssl.VerifyFlags(client.verify_flags | TIME_IS_CHECKED)
    server.load_cert_chain(given.certificate_file, given.key_file)
    there, back = ssl.MemoryBIO(), ssl.MemoryBIO()
    sides = [
        client.wrap_bio(back, there, server_hostname=host),
        server.wrap_bio(there, back, server_side=True),
    ]
    while sides:
        for side in list(sides):
            try:
                side.do_handshake()
                sides.remove(side)
            except ssl.SSLWantReadError:
                continue


def _certificates(setting: str, file: Path) -> list[x509.Certificate]:
    try:
        return x509.load_pem_x509_certificates(_bytes(setting, file))
    except ValueError:
        raise PermanentFailure(f"{setting}: {file} has no certificate in PEM") from None


def _bytes(setting: str, file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as failure:
        raise PermanentFailure(f"{setting}: {file} cannot be read ({failure.strerror})") from None


def _who(one: x509.Certificate) -> str:
    return one.subject.rfc4514_string() or "without a name"
