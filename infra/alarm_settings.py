"""When something counts as a problem: each limit is a setting.

Data flow: DAYBREAK_ALARM_SHARE, DAYBREAK_STILL_SECONDS, ... -> Settings
Run: daybreak status --problems
"""

from pydantic import Field
from pydantic_settings import BaseSettings


class Alarms(BaseSettings):
    """From when on `daybreak status` warns."""

    alarm_share: float = Field(
        0.05, ge=0, le=1, description="Rejected share of a topic's last records from which on `daybreak status` warns"
    )
    still_seconds: int = Field(
        300, ge=1, description="A program that has work and does nothing for so long is a problem in `daybreak status`"
    )
    night_hours: int = Field(
        30, ge=1, description="A day that has events and is not settled so long after its end is a problem"
    )
