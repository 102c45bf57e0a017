"""The page's first lines: everything that was known to be wrong when it was written.

Data flow: kept problems, days that no night has settled -> list at the top of the page
Run: daybreak status --problems (the same list as it is now)
"""

from dataclasses import dataclass
from datetime import UTC, datetime
from html import escape

from batch.status.unsettled import unsettled
from infra import problems
from infra.problems import Problem
from infra.settings import Settings


@dataclass(frozen=True)
class Known:
    """The problems, the oldest first, as of a time."""

    at: datetime
    problems: tuple[Problem, ...]


def known(s: Settings) -> Known:
    """What checks have kept; and the days that are due, which the lake itself tells. Raises TransientFailure as a read does."""
    found = {one.id: one for one in [*unsettled(s), *problems.problems(s)]}
    return Known(datetime.now(UTC), tuple(found.values()))


def listed(found: Known | None) -> str:
    """HTML; empty for a report that has not looked."""
    if found is None:
        return ""
    at = f"{found.at:%Y-%m-%d %H:%M} UTC"
    if not found.problems:
        return f'<p class="problems">No problems were known at {at}.</p>'
    number = len(found.problems)
    title = f"{'1 problem was' if number == 1 else f'{number} problems were'} known at {at}; now: daybreak status --problems"
    return f'<details class="problems" open><summary>{title}</summary><ul>{"".join(map(_item, found.problems))}</ul></details>'


def _item(one: Problem) -> str:
    since = f", since {one.since:%Y-%m-%d %H:%M} UTC" if one.since else ""
    count = "" if one.count is None else f", {one.count:,} in all"
    rows = f": {', '.join(one.rows)}" if one.rows else ""
    return (
        f"<li><strong>{escape(one.id)}</strong>{since}{count}: {escape(one.what)}{escape(rows)}. "
        f"To mend it: <code>{escape(one.mend)}</code></li>"
    )
