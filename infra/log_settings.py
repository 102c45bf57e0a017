"""The form of the logs of our own programs.

Data flow: DAYBREAK_LOG_FORMAT -> Settings
Run: DAYBREAK_LOG_FORMAT=json daybreak up
"""

from pydantic import Field
from pydantic_settings import BaseSettings

from infra.logs import Form


class Logs(BaseSettings):
    """How programs of ours write their logs."""

    log_format: Form = Field(
        "text", description="Logs of our own programs: `text` for people, or `json`, an object per line for a collector"
    )
