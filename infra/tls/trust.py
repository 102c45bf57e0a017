"""Whose certificates a client of ours takes: of an embedded service those of our CA alone.

Data flow: Settings -> a context of Python's ssl, a file of CAs, SSL_CERT_FILE
Run: daybreak doctor
"""

import os
import ssl
from pathlib import Path

import certifi

from infra.failures import PermanentFailure
from infra.settings import Settings
from infra.tls.files import Files, files
from infra.tls_settings import ca_file

DEBIANS = "/etc/ssl/certs/ca-certificates.crt"
BY_FILE = "SSL_CERT_FILE"
"""Where delta-rs looks, which has no option for it. Python's ssl looks there too: so the file has the machine's CAs besides."""


def context(s: Settings, endpoint: str) -> ssl.SSLContext | None:
    """For Python's clients of the service whose `endpoint` (a setting) this is; None for what the machine trusts: it is yours."""
    return ours(s) if _is_ours(s, endpoint) else None


def ours(s: Settings) -> ssl.SSLContext | None:
    """For a service that is never yours; None without TLS."""
    file = ca_file(s.home)
    # Before the first start there is none.
    return ssl.create_default_context(cafile=str(file)) if s.has_tls and file.exists() else None


def of_the_store(s: Settings) -> str | None:
    """The file with our CA; of a store of yours none, so that the machine's count."""
    return str(ca_file(s.home)) if _is_ours(s, "s3_endpoint") else None


def in_this_process(s: Settings) -> None:
    """From now on this process, and what it starts, take the embedded store's certificate where they can only look at BY_FILE."""
    if of_the_store(s):
        os.environ[BY_FILE] = str(files(s).trusted)


def refuse_without_authority(s: Settings) -> None:
    """Raise PermanentFailure if the embedded Kafka has TLS and no CA was made yet."""
    if _is_ours(s, "kafka_bootstrap") and not ca_file(s.home).exists():
        raise PermanentFailure(f"TLS is on, and there is no {ca_file(s.home)} yet to trust: daybreak up makes it")


def machines(own: Files) -> str:
    """The certificates that this machine trusts, as a text."""
    told = os.environ.get(BY_FILE)
    # A process of ours that starts the platform has ours there. What comes last every environment of ours has.
    places = (told, ssl.get_default_verify_paths().openssl_cafile, DEBIANS, certifi.where())
    file = next(Path(one) for one in places if one and Path(one) != own.trusted and Path(one).is_file())
    return file.read_text(errors="replace")


def _is_ours(s: Settings, endpoint: str) -> bool:
    return s.embedded(endpoint) and s.has_tls
