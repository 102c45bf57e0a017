"""An advisory, what a source answered, and which exceptions stand against it.

Data flow: infra/materials/exceptions.toml, Answer -> lines that say what holds, and what does not
Run: make audit
"""

import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

EXCEPTIONS = Path(__file__).with_name("exceptions.toml")


@dataclass(frozen=True)
class Advisory:
    """A known fault: its id, in which program or package of ours, through what, and what mends it."""

    id: str
    component: str
    through: str
    fixed: str


@dataclass(frozen=True)
class Answer:
    """What was asked about a part, as of when the source knows, what it said, and what could not be asked."""

    part: str
    asked: str
    knows: str
    found: Sequence[Advisory] = ()
    not_asked: str = ""


@dataclass(frozen=True)
class Exemption:
    """Advisories of one component that are lived with, why, and until when."""

    component: str
    ids: frozenset[str]
    reason: str
    end: date


def exemptions(file: Path = EXCEPTIONS) -> list[Exemption]:
    """The committed exceptions. Raises ValueError if one has no component, no id, no reason or no end."""
    found = []
    for entry in tomllib.loads(file.read_text()).get("exception", []):
        one = Exemption(
            entry.get("component", ""),
            frozenset(entry.get("ids", ())),
            " ".join(entry.get("reason", "").split()),
            entry.get("end"),
        )
        if not (one.component and one.ids and one.reason and type(one.end) is date):
            raise ValueError(f"{file.name}: an exception needs component, ids, reason and end (a date): {entry}")
        found.append(one)
    return found


def past(known: Iterable[Exemption], today: date) -> list[Exemption]:
    """The exceptions whose last day is over."""
    return [one for one in known if one.end < today]


def open_ones(found: Iterable[Advisory], known: Iterable[Exemption], today: date) -> list[Advisory]:
    """The advisories that no exception covers today."""
    standing = {(one.component, id) for one in known if one.end >= today for id in one.ids}
    return [one for one in found if (one.component, one.id) not in standing]


def idle(answers: Iterable[Answer], known: Iterable[Exemption]) -> list[str]:
    """Ids of exceptions that no answer asks for any more, of components that were asked about."""
    found = {(one.component, one.id) for answer in answers for one in answer.found}
    asked = {component for component, _ in found}
    ours = ((one.component, id) for one in known for id in one.ids)
    return sorted(" ".join(one) for one in ours if one[0] in asked and one not in found)
