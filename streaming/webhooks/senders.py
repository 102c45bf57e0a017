"""Who may send: secrets, topics and rate of each sender, in a file of the home that only its owner reads.

Data flow: `daybreak webhooks ...` -> `<home>/webhooks.json` (0600) -> Senders of the running program
Run: daybreak webhooks list
"""

import json
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path

from infra.failures import PermanentFailure
from infra.owner_file import Kept, turn, write
from infra.settings import Settings
from streaming.webhooks.signature import key_of

NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,62}")


@dataclass(frozen=True)
class Secret:
    """One secret; after `until` (epoch seconds) it signs nothing any more. It does not show in `repr`."""

    text: str = field(repr=False)
    until: float | None = None

    def __post_init__(self) -> None:
        key_of(self.text)


@dataclass(frozen=True)
class Sender:
    """`secrets`: the newest last. `per_second`: requests that it may make, on average, with a burst of one second's."""

    name: str
    topics: tuple[str, ...]
    per_second: float
    secrets: tuple[Secret, ...]

    def keys(self, now: float) -> list[bytes]:
        """The bytes that may have signed a request at `now` (epoch seconds)."""
        return [key_of(one.text) for one in self.secrets if one.until is None or now < one.until]


def file_of(s: Settings) -> Path:
    """The file of the senders."""
    return s.home / "webhooks.json"


def read(file: Path) -> dict[str, Sender]:
    """The senders by name; none without a file. Raises PermanentFailure, which quotes nothing of it, if it cannot be read."""
    try:
        found = json.loads(file.read_text())
        return {
            name: Sender(
                name, tuple(one["topics"]), float(one["per_second"]), tuple(Secret(**each) for each in one["secrets"])
            )
            for name, one in found["senders"].items()
        }
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as wrong:
        # Its text may be a secret's.
        raise PermanentFailure(
            f"{file} is no file of senders ({type(wrong).__name__}): restore it from a backup, or remove it and make the senders "
            "anew: daybreak webhooks add"
        ) from None


@contextmanager
def changing(file: Path) -> Iterator[dict[str, Sender]]:
    """The senders, to be changed in the block and written after it; two commands at once wait for each other."""
    with turn(file):
        senders = read(file)
        yield senders
        rows = {name: {k: v for k, v in asdict(one).items() if k != "name"} for name, one in senders.items()}
        write(file, {"senders": rows})


class Senders(Kept[dict[str, Sender]]):
    """The senders of a running program. While their file cannot be read, `now` raises PermanentFailure: then nobody may send."""

    def __init__(self, file: Path) -> None:
        super().__init__(file, read)


def current(sender: Sender, now: float | None = None) -> list[Secret]:
    """The secrets of a sender that have not ended."""
    at = time.time() if now is None else now
    return [one for one in sender.secrets if one.until is None or at < one.until]
