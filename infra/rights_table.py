"""Who may do what at a door, as a table of infra/README.md: a line for each thing that a test tries, a column for each user.

Data flow: tries, users -> the lines between two markers of the page
Run: make catalog
"""

from collections.abc import Collection, Iterable
from typing import Protocol


class Tried(Protocol):
    """Something to do, and who may."""

    @property
    def what(self) -> str:
        """In words."""

    @property
    def may(self) -> Collection[str]:
        """The users."""


def table(tries: Iterable[Tried], users: Collection[str]) -> str:
    """One line per try, one column per user."""
    lines = [f"| to | {' | '.join(users)} |", f"|---|{'---|' * len(users)}"]
    lines += [f"| {one.what} | {' | '.join('yes' if user in one.may else '' for user in users)} |" for one in tries]
    return "\n".join(lines)


def page(text: str, markers: tuple[str, str], new: str) -> str:
    """The page with a new table. Raises ValueError where the markers are missing."""
    begin, end = markers
    before, rest = text.split(begin, 1)
    _, after = rest.split(end, 1)
    return f"{before}{begin}\n{new}\n{end}{after}"
