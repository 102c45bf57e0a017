"""What a lab measured, as it is kept.

Data flow: Result -> `<home>/lab/<lab>.json` -> Result
Run: daybreak lab delivery
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from pathlib import Path

from infra.lab.labs import Lab
from infra.page.write import put

Row = dict[str, int | str]
"""A row of the table; the keys are the names of its columns, the same in every row."""


@dataclass(frozen=True)
class Curves:
    """What one part of a run was like over time: its name, and by the names of what was measured the values at so many
    `seconds` since it began."""

    of: str
    seconds: Sequence[float]
    values: Mapping[str, Sequence[float]]


@dataclass(frozen=True)
class Result:
    """The newest run of a lab: when it ended (UTC), its table, the sentence that says what it `shows`, and `how` it was run.

    `broken` is what Kafka promises and the lab did not find, one sentence each: none on a sound broker.
    `curves` are what its chart draws, where the rows are not enough.
    """

    lab: str
    at: datetime
    rows: list[Row]
    shows: str
    how: str
    broken: list[str]
    curves: list[Curves] = field(default_factory=list)


def file(home: Path, lab: Lab) -> Path:
    """Where the newest result of a lab is."""
    return home / "lab" / f"{lab.name}.json"


def keep(home: Path, lab: Lab, result: Result) -> None:
    """Write the result in place of an older one."""
    text = json.dumps(asdict(result) | {"at": result.at.isoformat()}, indent=2)
    put(file(home, lab), text.encode())


def newest(home: Path, lab: Lab) -> Result | None:
    """The newest result; None if the lab has not been run in this home."""
    if not file(home, lab).exists():
        return None
    kept = json.loads(file(home, lab).read_text())
    curves = [Curves(**one) for one in kept.pop("curves", [])]
    return Result(**kept | {"at": datetime.fromisoformat(kept["at"]), "curves": curves})
