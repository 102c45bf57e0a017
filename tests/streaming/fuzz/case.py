"""A case of the fuzzer: one record, how it was made, and how it is made again.

Data flow: seed and number -> Case; a failing Case -> a line of JSON, which may be kept in `kept/`
Run: DAYBREAK_FUZZ_SEED=7 DAYBREAK_FUZZ_FIRST=1234 DAYBREAK_FUZZ_CASES=1 pytest tests/streaming/test_fuzz.py
"""

import json
from base64 import b64decode, b64encode
from dataclasses import dataclass
from pathlib import Path

KEPT = Path(__file__).parent / "kept"
SHOWN = 400
"""Most bytes of a value that are shown as they are."""


@dataclass(frozen=True)
class Case:
    """`name` is its seed and number, or the file in which it is kept; `how` names the changes."""

    name: str
    topic: str
    encoding: str
    how: str
    key: bytes | None
    value: bytes | None

    def __str__(self) -> str:
        shown = self.value if self.value is None else self.value[:SHOWN]
        return f"{self.name}, {self.topic} as {self.encoding}, {self.how}: key {self.key!r}, value {shown!r}"

    @property
    def line(self) -> str:
        """What a file in `kept/` has."""
        sent = {name: _text(part) for name, part in (("key", self.key), ("value", self.value))}
        return json.dumps({"topic": self.topic, "encoding": self.encoding, "how": self.how, **sent})


def kept() -> list[Case]:
    """Cases that were wrong once."""
    found = []
    for file in sorted(KEPT.glob("*.json")):
        one = json.loads(file.read_text())
        key, value = (None if one[name] is None else b64decode(one[name]) for name in ("key", "value"))
        found.append(Case(file.stem, one["topic"], one["encoding"], one["how"], key, value))
    return found


def _text(part: bytes | None) -> str | None:
    return None if part is None else b64encode(part).decode()
