"""An attempt by mail at a real server: what comes, and what each answer means."""

import asyncio
import json
from typing import Any

import pytest
from aiosmtpd.smtp import SMTP, AuthResult
from pydantic import SecretStr
from receiver import Mailbox

from infra.settings import Settings
from streaming.notify.mail import Mailer
from streaming.notify.outcome import Became, Delivery, Outcome

TEXT = "raised: Grüße\n.\nbehind a dot\n"
DELIVERY = Delivery("0" * 40, json.dumps({"subject": "[Daybreak] alert", "text": TEXT}).encode(), "alerts/0@1-2")


def attempt(box: Mailbox, **more: Any) -> Outcome:
    own = {"smtp_host": "127.0.0.1", "smtp_port": box.port, "smtp_security": "none"}
    return asyncio.run(Mailer(Settings(**own | more), "people@example.org", 5).attempt(DELIVERY))


def test_a_mail_comes_with_the_same_id_each_time() -> None:
    box = Mailbox()
    with box.there():
        assert [attempt(box), attempt(box)] == [Outcome(Became.DELIVERED)] * 2
    first, second = box.mails
    assert (first["To"], first["From"], first["Subject"]) == (
        "people@example.org",
        "daybreak@localhost",
        "[Daybreak] alert",
    )
    assert first.get_content().replace("\r\n", "\n") == TEXT
    assert first["Message-ID"] == second["Message-ID"] == f"<{'0' * 40}@daybreak>"


@pytest.mark.parametrize(
    ("answer", "became"),
    [
        ("550 not here", Became.REFUSED),
        ("554 no", Became.REFUSED),
        ("451 later", Became.FAILED),
        ("421 busy", Became.FAILED),
    ],
)
def test_what_an_answer_means(answer: str, became: Became) -> None:
    box = Mailbox(answers=[answer])
    with box.there():
        found = attempt(box)
    assert found.became is became
    assert answer[4:] in found.why


def test_without_the_wanted_encryption_nothing_is_sent() -> None:
    box, tried = Mailbox(), list[str]()

    def login(server: SMTP, *_: Any) -> AuthResult:
        tried.append("login")
        return AuthResult(success=True)

    with box.there(authenticator=login, auth_require_tls=False):
        for security in ("starttls", "tls"):
            found = attempt(box, smtp_security=security, smtp_user="me", smtp_password=SecretStr("secret"))
            assert found.became is Became.FAILED
    assert (box.mails, tried) == ([], [])


def test_a_refused_login_may_be_mended() -> None:
    box = Mailbox()

    def login(server: SMTP, *_: Any) -> AuthResult:
        return AuthResult(success=False, handled=False)

    with box.there(authenticator=login, auth_require_tls=False, auth_required=True):
        found = attempt(box, smtp_user="me", smtp_password=SecretStr("secret"))
    assert (found.became, box.mails) == (Became.FAILED, [])
    assert "refuses the login" in found.why
    assert "secret" not in found.why


def test_a_server_that_is_away_may_be_there_later() -> None:
    box = Mailbox()
    with box.there():
        pass
    assert attempt(box).became is Became.FAILED
