"""A team's own certificate: an RSA key in the old form, issued by a CA below the one that clients trust.

Data flow: a folder, a host -> three files in PEM
Run: pytest tests/infra/test_tls.py
"""

from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID

from infra.tls.authority import usage


def team(folder: Path, host: str) -> tuple[str, str, str, str]:
    """What is between as a text, and the files of CA, certificate and key."""
    root, middle, own = (rsa.generate_private_key(65537, 2048) for _ in range(3))
    top = _signed("Team", root, "Team", root, None)
    between = _signed("Team's servers", middle, "Team", root, None)
    leaf = _signed(host, own, "Team's servers", middle, host)
    folder.mkdir(exist_ok=True)
    key = own.private_bytes(Encoding.PEM, PrivateFormat.TraditionalOpenSSL, NoEncryption()).decode()
    for name, text in {"ca": top, "certificate": leaf + between, "key": key}.items():
        (folder / name).write_text(text)
    return between, *(str(folder / name) for name in ("ca", "certificate", "key"))


def _signed(name: str, key: rsa.RSAPrivateKey, by: str, signs: rsa.RSAPrivateKey, host: str | None) -> str:
    now = datetime.now(UTC)
    names = [x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, one)]) for one in (by, name)]
    begun = x509.CertificateBuilder(*names, key.public_key(), x509.random_serial_number())
    begun = begun.not_valid_before(now - timedelta(hours=1)).not_valid_after(now + timedelta(days=90))
    begun = begun.add_extension(x509.BasicConstraints(ca=not host, path_length=None), critical=True)
    begun = begun.add_extension(usage(issues=not host), critical=True)
    begun = begun.add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
    begun = begun.add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(signs.public_key()), critical=False)
    if host:
        begun = begun.add_extension(x509.SubjectAlternativeName([_name(host)]), critical=False)
    return begun.sign(signs, SHA256()).public_bytes(Encoding.PEM).decode()


def _name(host: str) -> x509.GeneralName:
    return x509.IPAddress(ip_address(host)) if host[0].isdigit() else x509.DNSName(host)
