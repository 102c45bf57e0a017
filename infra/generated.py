"""Settings that hold a password which the platform makes for its embedded services.

Data flow: whose it is -> the field of a setting; a password of yours -> the same, or a refusal
Run: daybreak up --only postgres
"""

import re

from pydantic import Field, SecretStr


def password(whose: str) -> SecretStr:
    """The field; `whose` begins its description."""
    made: SecretStr = Field(SecretStr(""), description=f"Password of {whose}; generated when embedded")
    return made


def plain(value: SecretStr) -> SecretStr:
    """A password that stands in quotes in a file of Java's. Raises ValueError if it would end them."""
    if re.search(r"[\s\"'\\]", value.get_secret_value()):
        raise ValueError("a password has no blanks, quotes or backslashes")
    return value
