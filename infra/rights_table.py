"""Who may do what at a door, as a table of infra/README.md: a line for each thing that a test tries, a column for each user.

Data flow: tries, users -> lines of the page (infra/marked_page.py)
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
