"""Which contracts and views the code changes: the versions of its definitions, compared with those that run.

Data flow: versions in force, versions of the code -> a Change per contract and view
Run: daybreak plan
Source: SQLMesh, "Plans": what changed itself, and what changed with it; Terraform: a plan writes nothing.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from enum import StrEnum

from streaming.versions.definitions import is_of_events, learned, topic_of
from streaming.views.view import View


class Kind(StrEnum):
    """What has become of a definition. A contract that `learns` has a new schema version, and nothing else is new in it."""

    NEW = "new"
    CHANGED = "changed"
    LEARNS = "learns"
    GONE = "gone"


@dataclass(frozen=True)
class Change:
    """A contract (by its topic) or a view. `because`: the changed contracts of a view's inputs; none: it changed itself.
    `versions`: the schema versions that a contract learns."""

    name: str
    kind: Kind
    because: tuple[str, ...] = ()
    versions: tuple[int, ...] = ()


def contracts(running: Mapping[str, str], now: Mapping[str, str]) -> list[Change]:
    """The contracts that are new, changed, gone or learn a version, by name."""
    was, own = (_by_topic(versions) for versions in (running, now))
    more = learned(running, now)
    found = []
    for topic in sorted({*was, *own}):
        news = tuple(sorted(version for of, version in more if of == topic))
        if topic not in was or topic not in own:
            found.append(Change(topic, Kind.GONE if topic in was else Kind.NEW))
        elif any(own[topic].get(name) != version for name, version in was[topic].items()):
            found.append(Change(topic, Kind.CHANGED, versions=news))
        elif news:
            found.append(Change(topic, Kind.LEARNS, versions=news))
    return found


def views(running: Mapping[str, str], now: Mapping[str, str], known: Mapping[str, View]) -> list[Change]:
    """The views that are new, changed or gone, by name. `known`: the code's views."""
    changed = {one.name for one in contracts(running, now) if one.kind is Kind.CHANGED}
    was, own = ({name: at for name, at in versions.items() if not is_of_events(name)} for versions in (running, now))
    found = []
    for name in sorted({*was, *own}):
        if name not in was or name not in own:
            found.append(Change(name, Kind.GONE if name in was else Kind.NEW))
        elif was[name] != own[name]:
            found.append(Change(name, Kind.CHANGED, because=tuple(sorted(changed.intersection(known[name].inputs)))))
    return found


def command(of_contracts: Sequence[Change], of_views: Sequence[Change], redone: Sequence[date]) -> str | None:
    """The command that puts the code into force; None: it is. `redone`: days that were settled by other versions."""
    # The stream refuses to start with these: its state is of the versions before.
    is_rebuilt = any(one.kind is Kind.CHANGED for one in of_views) or any(one.kind is Kind.GONE for one in of_contracts)
    if is_rebuilt:
        return "daybreak redefine"
    if news := [one.name for one in of_views if one.kind is Kind.NEW]:
        return f"daybreak redefine --view {news[0]}"
    if of_contracts or of_views:
        return "daybreak restart stream"
    return f"daybreak night --date {max(redone)}" if redone else None


def _by_topic(versions: Mapping[str, str]) -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = {}
    for name, version in versions.items():
        if topic := topic_of(name):
            found.setdefault(topic, {})[name] = version
    return found
