"""Certificates: ours are made once and renewed in time, yours are taken if they are fit, and what is wrong is a sentence.

Data flow: a home, a moment -> `<home>/tls`, problems
Run: pytest tests/infra/test_tls.py
"""

import stat
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from certificates import team
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import BestAvailableEncryption, Encoding, NoEncryption, PrivateFormat
from pydantic import SecretStr

from infra.commands import postgres_lines
from infra.failures import PermanentFailure
from infra.postgres_roles import Role
from infra.services.roster import roster
from infra.settings import Settings
from infra.tls.authority import DAYS, Identity, authority, issued
from infra.tls.files import files
from infra.tls.prepare import prepare
from infra.tls.problems import look

NOW = datetime(2026, 11, 29, 12, tzinfo=UTC)
DAY = timedelta(days=1)


@pytest.fixture
def own(tmp_path: Path) -> Settings:
    return Settings(home=tmp_path / "home", tls="on")


def made(s: Settings, now: datetime = NOW) -> tuple[str, str]:
    """What is served, and the CA, after a start at this moment."""
    prepare(s, now)
    return files(s).certificate.read_text(), files(s).ca.read_text()


def given(s: Settings, folder: Path, one: Identity, ca: Identity, **more: str) -> Settings:
    """A certificate of yours, by three files."""
    folder.mkdir(exist_ok=True)
    texts = {"certificate": one.certificate_pem, "key": one.key_pem, "ca": ca.certificate_pem} | more
    for name, text in texts.items():
        (folder / name).write_text(text)
    return s.model_copy(update={f"tls_{name}": str(folder / name) for name in texts})


def test_without_tls_nothing_is_made_and_addresses_stay(own: Settings) -> None:
    off = Settings(home=own.home)
    prepare(off)
    assert not (own.home / "tls").exists()
    assert (off.s3_endpoint, off.kafka_bootstrap) == ("http://127.0.0.1:21002", "127.0.0.1:21000")
    assert "ssl" not in off.postgres_dsn + off.shop_dsn


def test_a_second_start_changes_nothing(own: Settings) -> None:
    first = made(own)
    assert made(own, NOW + (DAYS - 31) * DAY) == first
    assert look(own, NOW + (DAYS - 31) * DAY) == []


def test_keys_are_their_owners_alone(own: Settings) -> None:
    made(own)
    files_ = [*(own.home / "tls").iterdir()]
    assert len(files_) == 8
    assert {stat.S_IMODE(file.stat().st_mode) for file in files_} == {0o600}


def test_ours_is_renewed_a_month_before_its_end_by_the_same_authority(own: Settings) -> None:
    (certificate, ca), late = made(own), NOW + (DAYS - 29) * DAY
    (told,) = look(own, late)
    assert (told.id, told.mend) == ("tls.ends", "daybreak up makes another one, and starts each program with it")
    renewed, same = made(own, late)
    assert (renewed != certificate, same) == (True, ca)
    assert look(own, late) == []


def test_our_authority_is_renewed_before_its_end_too(own: Settings) -> None:
    _, ca = made(own)
    late = NOW + 3630 * DAY
    assert made(own, late)[1] != ca
    assert look(own, late) == []


def test_another_host_has_another_certificate(own: Settings) -> None:
    certificate, ca = made(own)
    elsewhere = own.model_copy(update={"tls_host": "localhost"})
    renewed, same = made(elsewhere)
    assert (renewed != certificate, same) == (True, ca)


def test_each_program_is_another_one_with_another_certificate(own: Settings) -> None:
    made(own)
    before = {name: program.env for name, program in roster(own).items()}
    assert before == {name: program.env for name, program in roster(own).items()}
    made(own, NOW + DAYS * DAY)
    after = {name: program.env for name, program in roster(own).items()}
    assert [name for name in after if after[name] == before[name]] == []


def test_yours_is_taken_with_what_is_between_it_and_its_authority(own: Settings, tmp_path: Path) -> None:
    now = datetime.now(UTC)
    between, ca, chain, key = team(tmp_path / "yours", "localhost")
    yours = own.model_copy(update={"tls_host": "localhost", "tls_certificate": chain, "tls_key": key, "tls_ca": ca})
    certificate, authority_ = made(yours, now)
    assert (certificate, authority_) == (Path(chain).read_text(), Path(ca).read_text())
    assert certificate.endswith(between)
    assert "BEGIN PRIVATE KEY" in files(yours).key_and_certificate.read_text()
    assert not files(yours).ca_key.exists()
    assert look(yours, now) == []
    # And back: ours, by an authority of ours.
    assert made(own, now)[1] != authority_


def test_without_its_middle_the_chain_is_refused(own: Settings, tmp_path: Path) -> None:
    between, ca, chain, key = team(tmp_path / "yours", "127.0.0.1")
    Path(chain).write_text(Path(chain).read_text().removesuffix(between))
    with pytest.raises(PermanentFailure, match=r"do not take .*: unable to get local issuer certificate"):
        prepare(own.model_copy(update={"tls_certificate": chain, "tls_key": key, "tls_ca": ca}))


def test_a_host_that_leads_elsewhere_is_refused(own: Settings) -> None:
    for host in ("192.0.2.7", "no-such-host.invalid"):
        with pytest.raises(PermanentFailure, match=rf"DAYBREAK_TLS_HOST is wrong: {host} leads .*/etc/hosts"):
            prepare(own.model_copy(update={"tls_host": host}))


def locked(key: ec.EllipticCurvePrivateKey) -> str:
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, BestAvailableEncryption(b"secret")).decode()


CA, OTHER = authority(datetime.now(UTC)), authority(datetime.now(UTC))
ODD = Ed25519PrivateKey.generate().private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()
RIGHT = issued(CA, "127.0.0.1", datetime.now(UTC))
UNFIT: dict[str, tuple[Callable[[Settings, Path], Settings], str]] = {
    "a part is not set": (
        lambda s, folder: s.model_copy(update={"tls_key": "/k"}),
        "DAYBREAK_TLS_CERTIFICATE and DAYBREAK_TLS_CA is not set",
    ),
    "a file is missing": (
        lambda s, folder: given(s, folder, RIGHT, CA).model_copy(update={"tls_key": "/no/key"}),
        r"DAYBREAK_TLS_KEY: /no/key cannot be read \(No such file",
    ),
    "no certificate": (
        lambda s, folder: given(s, folder, RIGHT, CA, certificate="hello"),
        "DAYBREAK_TLS_CERTIFICATE: .* has no certificate in PEM",
    ),
    "no key": (lambda s, folder: given(s, folder, RIGHT, CA, key="hello"), "has no private key in PEM"),
    "a passphrase": (lambda s, folder: given(s, folder, RIGHT, CA, key=locked(RIGHT.key)), "wants a passphrase"),
    "a key of another kind": (
        lambda s, folder: given(s, folder, RIGHT, CA, key=ODD),
        "is neither an RSA nor an EC key",
    ),
    "the key of another": (
        lambda s, folder: given(s, folder, RIGHT, CA, key=OTHER.key_pem),
        "DAYBREAK_TLS_KEY: .* is not the key of the certificate in",
    ),
    "expired": (
        lambda s, folder: given(s, folder, issued(CA, "127.0.0.1", datetime.now(UTC) - 9 * DAY, days=8), CA),
        r"has expired, on 20\d\d-\d\d-\d\d \(CN=127.0.0.1\)",
    ),
    "not good yet": (
        lambda s, folder: given(s, folder, issued(CA, "127.0.0.1", datetime.now(UTC) + 9 * DAY), CA),
        "is good from .* on .* clock right",
    ),
    "another host": (
        lambda s, folder: given(s, folder, issued(CA, "other.example", datetime.now(UTC)), CA),
        r"do not take .* for 127\.0\.0\.1 \(DAYBREAK_TLS_HOST\): .*mismatch",
    ),
    "of another authority": (
        lambda s, folder: given(s, folder, issued(OTHER, "127.0.0.1", datetime.now(UTC)), CA),
        "do not take .*: unable to get local issuer certificate",
    ),
}


@pytest.mark.parametrize("wrong", UNFIT)
def test_one_of_yours_that_is_unfit_is_refused_and_is_a_problem(own: Settings, tmp_path: Path, wrong: str) -> None:
    made(own, datetime.now(UTC))
    before, (change, says) = files(own).certificate.read_text(), UNFIT[wrong]
    yours = change(own, tmp_path / "yours")
    with pytest.raises(PermanentFailure, match=says):
        prepare(yours)
    assert files(own).certificate.read_text() == before
    assert [one.id for one in look(yours)] == ["tls.unfit"]


def test_clients_of_this_machines_services_keep_its_authorities(own: Settings) -> None:
    made(own)
    every = files(own).trusted.read_text()
    assert every.startswith(files(own).ca.read_text())
    assert len(x509.load_pem_x509_certificates(files(own).ca.read_bytes())) == 1
    assert every.count("BEGIN CERTIFICATE") > 50


def test_the_lines_to_connect_to_postgres_name_the_authority(own: Settings) -> None:
    s = own.model_copy(update={"postgres_reader_password": SecretStr("secret")})
    said = postgres_lines.lines(s, Role.READER)
    assert said.count("sslmode=verify-full") == 3
    assert "?sslmode=verify-full&sslrootcert=" in said
    assert f"\nsslmode: verify-full\nsslrootcert: {files(s).ca}" in said
    off = Settings(home=own.home, postgres_reader_password=SecretStr("secret"))
    assert "ssl" not in postgres_lines.lines(off, Role.READER)
