"""An attempt by HTTP on a real port: what is sent, and what each answer means."""

import asyncio
import ssl
import time
from datetime import UTC, datetime, timedelta
from email.utils import formatdate
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from receiver import Receiver, receiver

from streaming.notify.outcome import Became, Delivery, Outcome
from streaming.notify.post import Poster, outcome, seconds_in
from streaming.webhooks.senders import Secret
from streaming.webhooks.signature import SIGNATURE, TIME, key_of, new_secret, verify

DELIVERY = Delivery("abc-0-17", b'{"type":"alert","data":{"n":1.10}}', "alerts/0@17")


def attempt(got: Receiver | str, *secrets: Secret, seconds: float = 5.0) -> Outcome:
    async def once() -> Outcome:
        async with Poster(got if isinstance(got, str) else got.url, secrets, seconds) as poster:
            return await poster.attempt(DELIVERY)

    return asyncio.run(once())


def test_a_request_is_signed_by_each_secret_that_holds() -> None:
    got, now = receiver(), time.time()
    old, new, ended = Secret(new_secret(), now + 60), Secret(new_secret()), Secret(new_secret(), now - 1)
    with got.there():
        assert attempt(got, old, ended, new) == Outcome(Became.DELIVERED)
    (post,) = got.posts
    assert (post.id, post.body, post.headers["content-type"]) == ("abc-0-17", DELIVERY.body, "application/json")
    given = post.headers[SIGNATURE].split(" ")
    for secret, one in zip((old, new), given, strict=True):
        verify([key_of(secret.text)], post.id, post.headers[TIME], one, post.body, now)


ANSWERS = [
    (200, Became.DELIVERED),
    (202, Became.DELIVERED),
    (299, Became.DELIVERED),
    (301, Became.REFUSED),
    (308, Became.REFUSED),
    (400, Became.REFUSED),
    (401, Became.REFUSED),
    (404, Became.REFUSED),
    (410, Became.REFUSED),
    (422, Became.REFUSED),
    (408, Became.FAILED),
    (425, Became.FAILED),
    (429, Became.FAILED),
    (500, Became.FAILED),
    (503, Became.FAILED),
    (599, Became.FAILED),
]


@pytest.mark.parametrize(("status", "became"), ANSWERS)
def test_what_a_status_means(status: int, became: Became) -> None:
    assert outcome(status, None).became is became


def test_a_redirect_is_not_followed() -> None:
    got, other = receiver(), receiver()
    got.answer = lambda post: (307, {"location": other.url}, b"")
    with got.there(), other.there():
        found = attempt(got)
    assert (found.became, other.posts) == (Became.REFUSED, [])
    assert "redirects are not followed" in found.why


@pytest.mark.parametrize(
    ("said", "seconds"), [("7", 7.0), ("0", 0.0), ("soon", None), ("-7", None), ("", None), (None, None)]
)
def test_a_retry_after_in_seconds(said: str | None, seconds: float | None) -> None:
    assert seconds_in(said) == seconds


def test_a_retry_after_as_a_date() -> None:
    assert seconds_in(formatdate(time.time() + 100, usegmt=True)) == pytest.approx(100, abs=3)
    assert seconds_in(formatdate(time.time() - 100, usegmt=True)) == 0


def test_an_answer_says_why_and_when() -> None:
    got = receiver()
    got.answer = lambda post: (429, {"retry-after": "9"}, b"too\x1b[31m many")
    with got.there():
        assert attempt(got) == Outcome(Became.FAILED, "it answered 429: too [31m many", 9.0)


def test_one_that_does_not_answer_is_given_up_in_time() -> None:
    got = receiver()
    got.answer = lambda post: (time.sleep(2), (204, {}, b""))[1]
    with got.there():
        assert attempt(got, seconds=0.3) == Outcome(Became.FAILED, "no answer within 0.3 s")


def test_the_status_decides_whatever_becomes_of_the_rest() -> None:
    got = receiver()
    # More is announced than comes.
    got.answer = lambda post: (200, {"content-length": "9", "connection": "close"}, b"")
    with got.there():
        assert attempt(got).became is Became.DELIVERED


def test_one_that_is_away_may_be_there_later() -> None:
    found = attempt(receiver())
    assert found.became is Became.FAILED
    assert "ConnectError" in found.why


def of_nobody(file: Path) -> ssl.SSLContext:
    """A server with a certificate that it has made itself."""
    key, name = (
        generate_private_key(SECP256R1()),
        x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "127.0.0.1")]),
    )
    made = x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
    begins = datetime.now(UTC)
    signed = made.not_valid_before(begins).not_valid_after(begins + timedelta(days=1)).sign(key, SHA256())
    own = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    file.write_bytes(own + signed.public_bytes(Encoding.PEM))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(file)
    return context


def test_a_certificate_of_nobody_gets_nothing(tmp_path: Path) -> None:
    got = receiver()
    with got.there(of_nobody(tmp_path / "own.pem")):
        found = attempt(got.url.replace("http:", "https:"))
    assert (found.became, got.posts) == (Became.FAILED, [])
    assert "certificate verify failed" in found.why.lower()
