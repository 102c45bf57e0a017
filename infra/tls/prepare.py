"""Make ready what the services serve and their clients trust: ours, made and renewed here, or yours, if it is fit.

Data flow: Settings, perhaps three files of yours -> `<home>/tls` (keys 0600)
Run: DAYBREAK_TLS=on daybreak up
"""

import ipaddress
import socket
import warnings
from collections.abc import Collection
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
)
from cryptography.hazmat.primitives.serialization.pkcs12 import (
    PKCS12Certificate,
    serialize_java_truststore,
    serialize_key_and_certificates,
)

from infra.failures import PermanentFailure
from infra.options import QUEUE, chosen
from infra.owner_file import put, put_bytes
from infra.settings import Settings
from infra.tls.authority import Identity, authority, issued
from infra.tls.check import Given, PrivateKey, read, refuse_unfit
from infra.tls.files import OPENS, Files, files
from infra.tls.trust import machines

RENEWED_BEFORE = timedelta(days=30)
"""So long before their end ours are made anew, and one of yours is a problem."""

LOCK = BestAvailableEncryption(OPENS.encode())


def prepare(s: Settings, now: datetime | None = None) -> None:
    """Nothing without TLS. Raises PermanentFailure if what is yours is not fit, the host does not lead here, or an option that is
    on speaks no TLS."""
    if not s.has_tls:
        return
    refuse_options(s, chosen(s.options))
    at = now or datetime.now(UTC)
    files(s).ca.parent.mkdir(parents=True, exist_ok=True)
    _refuse_elsewhere(s.tls_host)
    _given(s, at) if is_yours(s) else _own(s, at)


def give_up(s: Settings, authority: bool) -> None:
    """Give up our certificate and its key, or our CA (`authority`) too: the next `prepare` makes others. What is yours stays.

    No program may run that serves it. With the same CA clients that run go on.
    """
    own = files(s)
    if is_yours(s):
        return
    served = (own.key, own.key_and_certificate, own.keystore, own.certificate)
    for file in (own.ca_key, own.ca, *served) if authority else served:
        file.unlink(missing_ok=True)


def refuse_options(s: Settings, on: Collection[str]) -> None:
    """Raise PermanentFailure if TLS is on and one of these options speaks none: nothing shall be in the clear unnoticed.

    The queue broker could; its client (stomp.py 9.0) does not see over TLS that the broker has died.
    """
    if s.has_tls and QUEUE in on:
        raise PermanentFailure(
            f"the option {QUEUE} speaks no TLS, and DAYBREAK_TLS is on: turn the option off (daybreak up --without {QUEUE}), or "
            "try its labs in a home that has no TLS"
        )


def is_yours(s: Settings) -> bool:
    """Is the certificate one of yours? Raises PermanentFailure if a part of it is missing."""
    told = {"CERTIFICATE": s.tls_certificate, "KEY": s.tls_key, "CA": s.tls_ca}
    missing = [f"DAYBREAK_TLS_{name}" for name, file in told.items() if not file]
    if missing and len(missing) < len(told):
        raise PermanentFailure(
            f"a certificate of yours needs its key and its CA too: {' and '.join(missing)} is not set (without any of the three "
            "the platform makes its own)"
        )
    return not missing


def yours(s: Settings) -> Given:
    """What is in your files."""
    return read(*(Path(file).expanduser() for file in (s.tls_certificate, s.tls_key, s.tls_ca)))


def _given(s: Settings, now: datetime) -> None:
    given = yours(s)
    refuse_unfit(given, s.tls_host, now)
    # Kafka takes a key in this form only.
    key = given.key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()
    files(s).ca_key.unlink(missing_ok=True)
    _write(files(s), _pem(given.ca), _pem(given.certificates), key)


def _own(s: Settings, now: datetime) -> None:
    own = files(s)
    if ca := kept(own, now):
        if _is_good(s, now):
            return
    else:
        ca = authority(now)
    # Its key first: a CA whose key is lost issues nothing more, and is made anew.
    put(own.ca_key, ca.key_pem)
    new = issued(ca, s.tls_host, now)
    _write(own, ca.certificate_pem, new.certificate_pem, new.key_pem)


def kept(own: Files, now: datetime) -> Identity | None:
    """Our CA; None if there is none, or it is near its end, or it was one of yours."""
    with suppress(FileNotFoundError, ValueError):
        certificate = x509.load_pem_x509_certificate(own.ca.read_bytes())
        key = load_pem_private_key(own.ca_key.read_bytes(), None)
        if isinstance(key, ec.EllipticCurvePrivateKey) and key.public_key() == certificate.public_key():
            return Identity(certificate, key) if now < certificate.not_valid_after_utc - RENEWED_BEFORE else None
    return None


def _is_good(s: Settings, now: datetime) -> bool:
    own = files(s)
    with suppress(PermanentFailure):
        served = read(own.certificate, own.key, own.ca)
        refuse_unfit(served, s.tls_host, now)
        return now < served.ends - RENEWED_BEFORE and all(
            file.exists() for file in (own.trusted, own.trusted_by_java, own.keystore)
        )
    return False


def served(s: Settings) -> Given | None:
    """What is served now; None before the first start."""
    own = files(s)
    return read(own.certificate, own.key, own.ca) if own.certificate.exists() else None


def _write(own: Files, ca: str, certificate: str, key: str) -> None:
    """Only what is another one by now: a store reads its certificate again when its file has changed."""
    every = f"{ca}{machines(own)}"
    texts = {own.key: key, own.key_and_certificate: key + certificate, own.certificate: certificate, own.ca: ca}
    for file, text in (texts | {own.trusted: every}).items():
        if not file.exists() or file.read_text() != text:
            put(file, text)
            own.trusted_by_java.unlink(missing_ok=True)
            own.keystore.unlink(missing_ok=True)
    if not own.keystore.exists():
        own_key, (first, *between) = load_pem_private_key(key.encode(), None), _all(certificate)
        assert isinstance(own_key, PrivateKey)
        put_bytes(own.keystore, serialize_key_and_certificates(b"daybreak", own_key, first, between, LOCK))
    if not own.trusted_by_java.exists():
        trusted = [PKCS12Certificate(one, f"{n}".encode()) for n, one in enumerate(_all(every))]
        put_bytes(own.trusted_by_java, serialize_java_truststore(trusted, LOCK))


def _all(text: str) -> list[x509.Certificate]:
    """Every certificate that can be read; of the machine's some old one may have a form that is none by now."""
    found = []
    for one in text.split("-----END CERTIFICATE-----")[:-1]:
        # The machine's are others' business.
        with suppress(ValueError), warnings.catch_warnings(action="ignore"):
            found.append(x509.load_pem_x509_certificate(f"{one}-----END CERTIFICATE-----\n".encode()))
    return found


def _pem(certificates: list[x509.Certificate]) -> str:
    return "".join(one.public_bytes(Encoding.PEM).decode() for one in certificates)


def _refuse_elsewhere(host: str) -> None:
    """The services listen on loopback alone: raise PermanentFailure if clients would look for them elsewhere."""
    try:
        found = {entry[4][0] for entry in socket.getaddrinfo(host, None, socket.AF_INET)}
    except OSError:
        found = set()
    if not found or not all(ipaddress.ip_address(one).is_loopback for one in found):
        leads = f"leads to {', '.join(sorted(map(str, found)))}" if found else "leads nowhere"
        raise PermanentFailure(
            f"setting DAYBREAK_TLS_HOST is wrong: {host} {leads}, and the embedded services listen on 127.0.0.1: let it lead "
            f"there, e.g. by a line of /etc/hosts (127.0.0.1 {host})"
        )
