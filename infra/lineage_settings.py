"""Where lineage goes: events in OpenLineage's form, of the stream, the night and gold.

Data flow: DAYBREAK_LINEAGE, DAYBREAK_LINEAGE_NAMESPACE, DAYBREAK_LINEAGE_KEY -> Settings
Run: DAYBREAK_LINEAGE=http://127.0.0.1:5000 daybreak up
"""

from pathlib import Path
from urllib.parse import urlsplit

from pydantic import Field, SecretStr, field_validator
from pydantic_settings import BaseSettings


class Lineage(BaseSettings):
    """Lineage is off by default, and costs nothing then."""

    lineage: str = Field(
        "", description="Where OpenLineage events go: an absolute folder, or the URL of a server; by default nowhere"
    )
    lineage_namespace: str = Field("daybreak", min_length=1, description="Namespace of the jobs in these events")
    lineage_key: SecretStr = Field(
        SecretStr(""), description="API key of that server: a line of `<home>/secrets.env`, or the environment"
    )

    @field_validator("lineage")
    @classmethod
    def _a_place(cls, place: str) -> str:
        url = urlsplit(place)
        if not place or (url.scheme in ("http", "https") and url.hostname and "@" not in url.netloc):
            return place
        if url.scheme in ("http", "https"):
            raise ValueError("a URL has a host, and neither user nor password: an API key is DAYBREAK_LINEAGE_KEY")
        if not Path(place).is_absolute():
            raise ValueError("write it as an absolute folder, or as a URL that begins with http:// or https://")
        return place
