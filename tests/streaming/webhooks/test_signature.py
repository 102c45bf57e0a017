"""The signature: that of Standard Webhooks, over id, time and body; by any secret that has not ended, and near our clock only."""

import base64
import hashlib
import hmac

import pytest

from streaming.webhooks.refused import Refused, Why
from streaming.webhooks.signature import TOLERANCE_SECONDS, key_of, new_secret, sign, verify

KEY, OTHER = b"k" * 32, b"o" * 32
NOW = 1_700_000_000
BODY = b'{"a": 1}'


def refused(
    signatures: str | None, *, identity: str | None = "msg_1", at: str | None = str(NOW), body: bytes = BODY
) -> Why:
    with pytest.raises(Refused) as wrong:
        verify([KEY], identity, at, signatures, body, NOW)
    assert wrong.value.status == 401
    assert wrong.value.written is False
    return wrong.value.why


def test_it_is_the_one_of_the_standard() -> None:
    """The example of its specification's libraries."""
    secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
    body = b'{"test": 2432232314}'
    found = sign(key_of(secret), "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330, body)
    assert found == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


def test_it_is_hmac_over_id_time_and_body() -> None:
    wanted = hmac.new(KEY, b"msg_1." + str(NOW).encode() + b"." + BODY, hashlib.sha256).digest()
    assert sign(KEY, "msg_1", NOW, BODY) == "v1," + base64.b64encode(wanted).decode()
    verify([KEY], "msg_1", str(NOW), sign(KEY, "msg_1", NOW, BODY), BODY, NOW)


def test_one_of_several_signatures_and_secrets_is_enough() -> None:
    both = f"v1,AAAA {sign(OTHER, 'msg_1', NOW, BODY)}"
    verify([KEY, OTHER], "msg_1", str(NOW), both, BODY, NOW)


@pytest.mark.parametrize("body", [b"", BODY + b" ", b'{"a": 2}'])
def test_another_body_is_refused(body: bytes) -> None:
    assert refused(sign(KEY, "msg_1", NOW, BODY), body=body) is Why.BAD_SIGNATURE


@pytest.mark.parametrize(
    "signatures",
    ["v1,", "v1,AAAA", "\xe4", "v2," + sign(KEY, "msg_1", NOW, BODY)[3:], sign(OTHER, "msg_1", NOW, BODY)],
)
def test_what_this_secret_has_not_signed_is_refused(signatures: str) -> None:
    assert refused(signatures) is Why.BAD_SIGNATURE


def test_id_and_time_are_signed() -> None:
    good = sign(KEY, "msg_1", NOW, BODY)
    assert refused(good, identity="msg_2") is Why.BAD_SIGNATURE
    assert refused(good, at=str(NOW + 1)) is Why.BAD_SIGNATURE


def test_a_dot_in_the_id_cannot_move_the_borders() -> None:
    """`a` at 1 with the body `2.x` is signed like `a.1` at 2 with the body `x`."""
    assert sign(KEY, "a", 1, b"2.x") == sign(KEY, "a.1", 2, b"x")
    assert refused(sign(KEY, "a", 1, f"{NOW}.x".encode()), identity="a.1", body=b"x") is Why.BAD_SIGNATURE


@pytest.mark.parametrize("missing", ["signatures", "identity", "at"])
def test_a_request_without_one_of_the_headers_is_unsigned(missing: str) -> None:
    headers = {"signatures": sign(KEY, "msg_1", NOW, BODY), "identity": "msg_1", "at": str(NOW)} | {missing: None}
    assert refused(headers.pop("signatures"), **headers) is Why.UNSIGNED  # type: ignore[arg-type]


@pytest.mark.parametrize("away", [-1, 1])
def test_a_time_too_far_from_our_clock_is_refused(away: int) -> None:
    near, far = (str(NOW + away * (TOLERANCE_SECONDS + more)) for more in (0, 1))
    verify([KEY], "msg_1", near, sign(KEY, "msg_1", near, BODY), BODY, NOW)
    assert refused(sign(KEY, "msg_1", far, BODY), at=far) is Why.BAD_TIME


@pytest.mark.parametrize("at", ["-1", "1e9", "17000000000000", "٣", ""])
def test_a_time_that_is_no_number_is_refused(at: str) -> None:
    assert refused(sign(KEY, "msg_1", at, BODY), at=at) in (Why.BAD_SIGNATURE, Why.UNSIGNED)


def test_a_secret_is_random_and_of_the_standards_form() -> None:
    one, other = new_secret(), new_secret()
    assert one != other
    assert len(key_of(one)) == 32
    for wrong in (one.removeprefix("whsec_"), "whsec_AAAA", "whsec_!"):
        with pytest.raises(ValueError, match="a secret is whsec_"):
            key_of(wrong)
