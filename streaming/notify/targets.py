"""Who gets what: targets with their address, topics and secrets, in a file of the home that only its owner reads.

Data flow: `daybreak notify ...` -> `<home>/notify.json` (0600) -> the running program
Run: daybreak notify list
"""

import json
import re
import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from infra.failures import PermanentFailure
from infra.owner_file import turn, write
from infra.settings import Settings
from streaming.webhooks.senders import NAME, Secret

MOST = 20
"""Targets of a home: each has its connections, threads and Kafka clients in one process."""
ADDRESS = re.compile(r"[^@\s<>,;:\"\\]{1,64}@[^@\s<>,;:\"\\]{1,253}")


@dataclass(frozen=True)
class Target:
    """A receiver: `url` or `mail`, one of them. `topics` are names of `topics_of`.

    `id` is random, so that one that is removed and added again begins anew. `start`: partition, as `topic/number` -> id of the
    topic, and offset of the first record that it gets; of a partition that it does not name, it gets all.
    """

    name: str
    id: str
    topics: tuple[str, ...]
    url: str | None = None
    mail: str | None = None
    secrets: tuple[Secret, ...] = ()
    start: Mapping[str, tuple[str, int]] = field(default_factory=dict)

    @property
    def where(self) -> str:
        """Its address."""
        return self.url or self.mail or ""


def topics_of(s: Settings) -> dict[str, str]:
    """What can be sent: its name -> its topic."""
    return {"alerts": s.alerts_topic, "corrections": s.corrections_topic}


def file_of(s: Settings) -> Path:
    """The file of the targets."""
    return s.home / "notify.json"


def new_id() -> str:
    """The id of a new target."""
    return secrets.token_hex(8)


def read(file: Path) -> dict[str, Target]:
    """The targets by name; none without a file. Raises PermanentFailure, which quotes nothing of it, if it cannot be read."""
    try:
        found = json.loads(file.read_text())["targets"]
        return {name: _target(name, one) for name, one in found.items()}
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as wrong:
        # Its text may be a secret's.
        raise PermanentFailure(
            f"{file} is no file of targets ({type(wrong).__name__}): restore it from a backup, or remove it and make the "
            "targets anew: daybreak notify add"
        ) from None


def _target(name: str, one: dict[str, object]) -> Target:
    own = dict(one)
    lists: dict[str, object] = {key: own.pop(key) for key in ("topics", "secrets", "start")}
    topics, kept, start = lists["topics"], lists["secrets"], lists["start"]
    if not isinstance(topics, list) or not isinstance(kept, list) or not isinstance(start, dict):
        raise TypeError
    begins = {place: (str(at[0]), int(at[1])) for place, at in start.items()}
    return Target(name, topics=tuple(topics), secrets=tuple(Secret(**each) for each in kept), start=begins, **own)  # type: ignore[arg-type]


@contextmanager
def changing(file: Path) -> Iterator[dict[str, Target]]:
    """The targets, to be changed in the block and written after it; two commands at once wait for each other."""
    with turn(file):
        targets = read(file)
        yield targets
        rows = {name: {k: v for k, v in asdict(one).items() if k != "name"} for name, one in targets.items()}
        write(file, {"targets": rows})


def checked_name(name: str) -> str:
    """Raises PermanentFailure where it is no name."""
    if not NAME.fullmatch(name):
        raise PermanentFailure(f"{name!r} is no name of a target: small letters, digits, - and _, at most 63")
    return name


def checked_url(url: str) -> str:
    """Raises PermanentFailure where nothing can be sent to it, or where it has a password, which commands would show."""
    try:
        parts = urlsplit(url)
        is_good = parts.scheme in ("http", "https") and parts.hostname and (parts.port or 1)
    except ValueError:
        is_good = False
    if not is_good or url != url.strip() or not url.isprintable():
        raise PermanentFailure(f"{url!r} is no URL: https://host[:port]/path, or http://...")
    if parts.username or parts.password or parts.fragment:
        raise PermanentFailure("a URL with a user, a password or a # is not taken: requests are signed instead")
    return url


def checked_mail(s: Settings, address: str) -> str:
    """Raises PermanentFailure where it is no address, or no mail server is set."""
    if not ADDRESS.fullmatch(address) or not address.isascii():
        raise PermanentFailure(f"{address!r} is no mail address: one, as name@host; add a target for each")
    if not s.smtp_host:
        raise PermanentFailure("there is no mail server: set DAYBREAK_SMTP_HOST (and _PORT, _USER, _PASSWORD, _FROM)")
    return address
