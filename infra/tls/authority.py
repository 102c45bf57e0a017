"""A certificate authority of the platform's own, and what it issues: an ordinary CA with one certificate below it.

Data flow: now, a host -> keys and certificates in memory
Run: pytest tests/infra/test_tls.py
Source: RFC 5280, "Certificate and Certificate Extensions Profile"; RFC 9525, names in `subjectAltName` alone.

Made by `cryptography`, which is here already (Airflow encrypts with it): OpenSSL's and Rust's code behind one interface, with a
release every few weeks, and without a program beside it. Keys are of P-256, which every client knows, and which costs least.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from ipaddress import ip_address

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

CA_DAYS, DAYS = 3650, 397
"""How long ours are good for: the CA, and what it issues (more than 398 days some clients refuse)."""
EARLIER = timedelta(hours=1)
"""A clock that is a little behind must not refuse a certificate that was just made."""


@dataclass(frozen=True)
class Identity:
    """A certificate and its private key."""

    certificate: x509.Certificate
    key: ec.EllipticCurvePrivateKey

    @property
    def certificate_pem(self) -> str:
        """As a file has it."""
        return self.certificate.public_bytes(Encoding.PEM).decode()

    @property
    def key_pem(self) -> str:
        """As a file has it, which only its owner reads."""
        return self.key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()


def authority(now: datetime, days: int = CA_DAYS) -> Identity:
    """A new CA, which issues certificates of hosts and no other CA."""
    key = ec.generate_private_key(ec.SECP256R1())
    # A name of its own: two CAs of one name are told apart by their keys only, which not every client does.
    name = _name(f"Daybreak CA {x509.random_serial_number() >> 128:08x}"[:40])
    begun = _begun(name, name, key.public_key(), now, days)
    begun = begun.add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
    begun = begun.add_extension(usage(issues=True), critical=True)
    return Identity(begun.sign(key, SHA256()), key)


def issued(by: Identity, host: str, now: datetime, days: int = DAYS) -> Identity:
    """A new certificate of a host, a name or an address, and of no other."""
    key, of_ca = ec.generate_private_key(ec.SECP256R1()), by.key.public_key()
    begun = _begun(_name(host), by.certificate.subject, key.public_key(), now, days)
    begun = begun.add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
    begun = begun.add_extension(usage(issues=False), critical=True)
    # The brokers are each other's clients.
    roles = [ExtendedKeyUsageOID.SERVER_AUTH, ExtendedKeyUsageOID.CLIENT_AUTH]
    begun = begun.add_extension(x509.ExtendedKeyUsage(roles), critical=False)
    begun = begun.add_extension(x509.SubjectAlternativeName([_host(host)]), critical=False)
    begun = begun.add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(of_ca), critical=False)
    return Identity(begun.sign(by.key, SHA256()), key)


def _begun(
    name: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePublicKey, now: datetime, days: int
) -> x509.CertificateBuilder:
    begun = x509.CertificateBuilder(issuer_name=issuer, subject_name=name, public_key=key)
    begun = begun.serial_number(x509.random_serial_number())
    begun = begun.not_valid_before(now - EARLIER).not_valid_after(now + timedelta(days=days))
    return begun.add_extension(x509.SubjectKeyIdentifier.from_public_key(key), critical=False)


def _name(text: str) -> x509.Name:
    # RFC 5280 has room for 64 letters.
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text[:64])])


def _host(host: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ip_address(host))
    except ValueError:
        return x509.DNSName(host)


def usage(issues: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=not issues,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=issues,
        crl_sign=issues,
        encipher_only=False,
        decipher_only=False,
    )
