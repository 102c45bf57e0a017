"""The figures of the labs' newest runs, by what a team needs and what it can choose.

Data flow: the newest Result of each lab -> Said after Said
Run: daybreak lab fit
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from infra.lab.fit import direct, log, queue
from infra.lab.fit.need import Choice, Figure, Figures, Need
from infra.lab.labs import Lab
from infra.lab.result import Result

FIGURES: dict[Choice, Figures] = {
    Choice.DIRECT: direct.FIGURES,
    Choice.QUEUE: queue.FIGURES,
    Choice.LOG: log.FIGURES,
}


@dataclass(frozen=True)
class Said:
    """A figure in words, with its lab and when this was run; without one `says` is the command that measures it."""

    need: Need
    choice: Choice
    lab: Lab
    says: str
    at: datetime | None


def fit(results: Mapping[Lab, Result | None]) -> list[Said]:
    """Every figure, by need and choice; a command that measures several figures of a cell stands there once."""
    found = (
        _said(need, choice, figure, results.get(figure.lab))
        for need in Need
        for choice in Choice
        for figure in FIGURES[choice].get(need, ())
    )
    return list(dict.fromkeys(found))


def labs() -> set[Lab]:
    """The labs whose figures are here."""
    return {figure.lab for figures in FIGURES.values() for own in figures.values() for figure in own}


def _said(need: Need, choice: Choice, figure: Figure, result: Result | None) -> Said:
    if result:
        try:
            return Said(need, choice, figure.lab, figure.says(result.rows), result.at)
        except LookupError:
            # It was run without the option, or by a version that measured something else.
            pass
    return Said(need, choice, figure.lab, f"not measured yet: {figure.command}", None)


def at(said: Said) -> str:
    """When its lab was run (UTC)."""
    return f"{said.at:%Y-%m-%d %H:%M}" if said.at else ""


def missing(found: Iterable[Said]) -> list[str]:
    """The commands of what has not been measured, each once."""
    return list(dict.fromkeys(one.says.partition(": ")[2] for one in found if one.at is None))
