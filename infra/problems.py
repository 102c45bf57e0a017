"""Problems: what is wrong with the data, or stands still; each is kept until a check has seen it right.

Data flow: checks of stream, night and capture -> `<home>/problems/<source>.json` -> `daybreak status --problems`, the report
Run: daybreak status --problems

Whoever checks something is a source and tells all that it finds: what it no longer tells is mended. So a problem outlives
the process that found it, and a source that ends without a word leaves its problems as they stand.
"""

import json
import os
from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from infra.settings import Settings

EXAMPLES = 20
"""Most rows that a problem names; `count` counts them all."""


@dataclass(frozen=True)
class Problem:
    """One problem.

    `id` is stable from check to check: a kind, and what has it, e.g. `log.gap/TOPIC-0`. `what` is a sentence, `mend` the
    command (or what a person has to do) that mends it. `count` is how many rows or offsets are wrong, None if that is not
    what is counted; `rows` names the first of them. `since` is when it was first found; `keep` sets it.
    """

    id: str
    what: str
    mend: str
    count: int | None = None
    rows: tuple[str, ...] = ()
    since: datetime | None = None


def keep(s: Settings, source: str, found: Iterable[Problem]) -> None:
    """`source` has looked, and these are its problems now: what it told before and does not tell now is mended.

    A source has one writer at a time. A problem that it told before keeps its `since`.
    """
    known = {one.id: one.since for one in of_source(s, source)}
    now = datetime.now(UTC)
    rows = [replace(one, since=known.get(one.id) or one.since or now, rows=one.rows[:EXAMPLES]) for one in found]
    file = _file(s, source)
    if not rows:
        file.unlink(missing_ok=True)
        return
    file.parent.mkdir(parents=True, exist_ok=True)
    fresh = file.with_suffix(f".{os.getpid()}.new")
    fresh.write_text(json.dumps([asdict(one) for one in rows], default=_text))
    fresh.replace(file)


def add(s: Settings, source: str, found: Iterable[Problem]) -> None:
    """`source` has found these too; what it told before stands until `keep` or `mended`."""
    more = {one.id: one for one in found}
    keep(s, source, [*(one for one in of_source(s, source) if one.id not in more), *more.values()])


def mended(s: Settings, source: str, ids: Iterable[str]) -> None:
    """`source` has seen these right; its others stand."""
    gone = {*ids}
    keep(s, source, [one for one in of_source(s, source) if one.id not in gone])


def of_source(s: Settings, source: str) -> list[Problem]:
    """What `source` told last."""
    return _read(_file(s, source))


def problems(s: Settings) -> list[Problem]:
    """The problems of all sources, the oldest first."""
    folder = s.home / "problems"
    found = [one for file in sorted(folder.glob("*.json")) for one in _read(file)]
    return sorted(found, key=lambda one: (one.since or datetime.now(UTC), one.id))


def _file(s: Settings, source: str) -> Path:
    return s.home / "problems" / f"{source.replace('/', '.')}.json"


def _read(file: Path) -> list[Problem]:
    try:
        rows = json.loads(file.read_text())
        return [
            Problem(**row | {"rows": tuple(row["rows"]), "since": datetime.fromisoformat(row["since"])}) for row in rows
        ]
    except FileNotFoundError:
        return []
    except (ValueError, TypeError, KeyError) as wrong:
        what = f"{file} cannot be read ({wrong}): what {file.stem} had found is not known"
        return [Problem(f"problems.unreadable/{file.stem}", what, f"rm {file}")]


def _text(value: object) -> str:
    assert isinstance(value, datetime)
    return value.isoformat()
