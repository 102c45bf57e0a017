"""One attempt to deliver by mail, and what the server's answer means.

Data flow: Delivery (subject and text) -> SMTP with STARTTLS and login -> Outcome
Run: pytest tests/streaming/notify/test_mail.py
Source: RFC 5321: 4xx passes, 5xx does not; RFC 5322: a mail that is sent again has its Message-ID.
"""

import json
import ssl
from email.message import EmailMessage
from email.utils import formatdate

import aiosmtplib
import httpx

from infra.settings import Settings
from streaming.notify.outcome import Became, Delivery, Outcome

SECONDS = 15.0
"""Longest wait for each answer of the server."""
SHOWN = 200


class Mailer:
    """Mails to one address by the server of the settings; a connection for each."""

    def __init__(self, s: Settings, address: str, seconds: float = SECONDS) -> None:
        self._settings, self._address, self._seconds = s, address, seconds
        self._trusted: ssl.SSLContext = httpx.create_ssl_context()
        self._trusted.load_default_certs()

    async def attempt(self, delivery: Delivery) -> Outcome:
        """Deliver once. A server that refuses our login is not refusing the mail, so that is tried again."""
        s, password = self._settings, self._settings.smtp_password.get_secret_value()
        try:
            await aiosmtplib.send(
                message(s, self._address, delivery),
                hostname=s.smtp_host,
                port=s.smtp_port,
                username=s.smtp_user or None,
                password=password if s.smtp_user else None,
                use_tls=s.smtp_security == "tls",
                # True: a server that does not offer it gets nothing, and no password.
                start_tls=s.smtp_security == "starttls",
                tls_context=self._trusted,
                timeout=self._seconds,
            )
        except aiosmtplib.SMTPRecipientsRefused as refused:
            return _refused(refused.recipients[0].code, f"the server refuses {self._address}: {refused}")
        except aiosmtplib.SMTPAuthenticationError as refused:
            return Outcome(Became.FAILED, f"the server refuses the login: {refused}"[:SHOWN])
        except (aiosmtplib.SMTPSenderRefused, aiosmtplib.SMTPDataError) as refused:
            return _refused(refused.code, f"the server refuses the mail: {refused}")
        except (aiosmtplib.SMTPException, OSError) as failure:
            return Outcome(Became.FAILED, f"{type(failure).__name__}: {failure}"[:SHOWN])
        return Outcome(Became.DELIVERED)


def _refused(code: int, why: str) -> Outcome:
    return Outcome(Became.REFUSED if code >= 500 else Became.FAILED, why[:SHOWN])


def message(s: Settings, address: str, delivery: Delivery) -> EmailMessage:
    """The mail of a delivery."""
    own = json.loads(delivery.body)
    mail = EmailMessage()
    mail["From"], mail["To"], mail["Subject"] = s.smtp_from, address, own["subject"]
    mail["Date"] = formatdate()
    mail["Message-ID"] = f"<{delivery.id}@daybreak>"
    # No answer of a holiday notice, please (RFC 3834).
    mail["Auto-Submitted"] = "auto-generated"
    mail.set_content(own["text"])
    return mail
