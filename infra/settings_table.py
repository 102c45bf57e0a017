"""The table of settings in infra/README.md, made from the settings themselves.

Data flow: fields of Settings -> the lines between two markers of infra/README.md
Run: make catalog
"""

from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from infra.marked_page import made_anew
from infra.settings import ROOT, Settings

PAGE = ROOT / "infra" / "README.md"
MARKERS = "<!-- settings: made by make catalog -->", "<!-- end of settings -->"
WORDS = {
    "home": "`.daybreak`",
    "checkpoints": "`<home>/checkpoints`",
    "kafka_replication": "that of `KAFKA_BROKERS`",
    "store": "`versitygw`",
}
"""How the table writes defaults that are paths on this machine, or follow another setting."""


def table() -> str:
    """One line per setting that has a description, and one for all ports."""
    lines = ["| `DAYBREAK_...` | default | meaning |", "|---|---|---|"]
    for name, field in Settings.model_fields.items():
        if field.description:
            lines.append(f"| `{name.upper()}` | {_default(name, field)} | {field.description} |")
    lines.append("| `*_PORT` | from `PORT_BASE` on | The port of each embedded service, see `infra/port_settings.py` |")
    return "\n".join(lines)


def page(text: str) -> str:
    """The page with a new table. Raises ValueError where the markers are missing."""
    return made_anew(text, MARKERS, table())


def _default(name: str, field: FieldInfo) -> str:
    if name in WORDS:
        return WORDS[name]
    if field.default_factory is dict:
        return "`{}`"
    if field.default_factory is not None:
        return "embedded"
    secret = getattr(field.default, "get_secret_value", None)
    value = secret() if secret else field.default
    if value in ("", PydanticUndefined):
        return "generated" if "generated" in (field.description or "") else "empty"
    return f"`{value}`"
