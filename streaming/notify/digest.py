"""A mail about what has come: one alert, or many as a digest with their counts and the first of them.

Data flow: records of a range -> Digest -> Delivery of a subject and a text
Run: pytest tests/streaming/notify/test_digest.py
"""

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

from confluent_kafka import Message

from streaming.notify.envelope import TYPES
from streaming.notify.outcome import Delivery

SHOWN, LINE, MOST_KINDS = 20, 600, 50
"""Records that a mail shows, characters of each, and kinds that it counts apart."""
OTHER = ("", "of other views", "")
COMMANDS = {"alerts": "daybreak alerts", "corrections": "daybreak corrections"}


@dataclass
class Digest:
    """What a range of records says, in little memory however many they are."""

    counts: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    shown: list[str] = field(default_factory=list)

    def take(self, name: str, record: Message) -> None:
        """Count a record of `name` (alerts, corrections), and show it if there is room."""
        value = _object(record.value())
        view, state = str(value.get("view", "?"))[:100], str(value.get("alert", "") if name == "alerts" else "")[:20]
        kind = (TYPES[name], view, state)
        self.counts[kind if kind in self.counts or len(self.counts) < MOST_KINDS else OTHER] += 1
        if len(self.shown) < SHOWN:
            text = (record.value() or b"").decode(errors="replace")
            self.shown.append(f"{TYPES[name]} {(record.key() or b'').decode(errors='replace')}: {text}"[:LINE])

    def delivery(self, target: str, ranges: Mapping[str, tuple[int, int]], at: Mapping[str, str]) -> Delivery:
        """As a mail to `target` (its name). `ranges`: partition -> first and next offset; `at`: partition -> id of its topic.

        The id is the ranges' own: a mail that is sent again after a kill has the same, and the same content.
        """
        total = self.counts.total()
        kinds = [f"{count:,} x {' '.join(part for part in kind if part)}" for kind, count in self.counts.most_common()]
        names = list(dict.fromkeys(place.partition("/")[0] for place in ranges))
        first = next(iter(self.counts))
        subject = f"[Daybreak] {' '.join(filter(None, first))}" if total == 1 else f"[Daybreak] {total:,}: {kinds[0]}"
        more = [f"... and {total - len(self.shown):,} more."] if total > len(self.shown) else []
        lines = [
            *(kinds if total > 1 else []),
            "",
            *self.shown,
            *more,
            "",
            f"All of them: {', '.join(COMMANDS[name] for name in names)}",
            f"To stop these mails: daybreak notify remove {target}",
        ]
        own = json.dumps([[place, at.get(place, ""), *ranges[place]] for place in sorted(ranges)])
        body = {"subject": _line(subject), "text": "\n".join(map(_line, lines)).strip() + "\n"}
        what = ", ".join(f"{place}@{first}-{last - 1}" for place, (first, last) in sorted(ranges.items()))
        return Delivery(
            sha256(own.encode()).hexdigest()[:40], json.dumps(body, ensure_ascii=False).encode(errors="replace"), what
        )


def _object(value: bytes | None) -> dict[str, Any]:
    try:
        found = json.loads(value or b"null")
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _line(text: str) -> str:
    """As one line: no key or value can end a header, or draw on a screen."""
    return "".join(sign if sign.isprintable() else " " for sign in text)
