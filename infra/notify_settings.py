"""Settings of what goes out (option notify): when it is given up, how often mail goes, and the mail server.

Data flow: DAYBREAK_NOTIFY_*, DAYBREAK_SMTP_* -> Settings
Run: daybreak up --with notify
"""

from typing import Literal

from pydantic import Field, SecretStr

from infra.own_topics import OwnTopics


class Notify(OwnTopics):
    """What holds for every target."""

    notify_give_up_hours: float = Field(
        24, gt=0, description="A delivery that has failed for so long becomes a dead letter, and the next one is tried"
    )
    notify_mail_seconds: int = Field(
        300, ge=0, description="Shortest time between two mails to a target: what comes meanwhile is in the next one"
    )
    smtp_host: str = Field("", description="Mail server; without one nothing can be mailed")
    smtp_port: int = Field(587, ge=1, le=65535, description="Its port: 587 for starttls, 465 for tls")
    smtp_security: Literal["starttls", "tls", "none"] = Field(
        "starttls", description="Encryption of the connection to it: `starttls`, `tls`, or `none` (on loopback, say)"
    )
    smtp_user: str = Field("", description="User at the mail server; empty: no login")
    smtp_password: SecretStr = Field(
        SecretStr(""), description="Password at the mail server: a line of `<home>/secrets.env`, or the environment"
    )
    smtp_from: str = Field("daybreak@localhost", description="Sender of mails")
