"""The views in force: those of the project (`streaming/project.py`), loaded when they are first asked for.

Data flow: the project's views -> VIEWS, and how far they look
Run: pytest tests/streaming/test_views.py

Not at import: a project's own modules import `streaming.views.view`, which imports this one first.
"""

from datetime import timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from streaming.views.view import View

VIEWS: "dict[str, View]"
"""Every view, by name; each exists in speed, truth, reconciliation and docs."""

REACH: timedelta
"""How far past a day's end its views need events."""

LOOKBACK: timedelta
"""How far before a day's start its views need events."""

CHANGELOGS: tuple[str, ...]
"""The topics of which its views need the last event of a key, however old."""

if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        """One of these. Raises PermanentFailure, a sentence, if the project does not load."""
        if name not in ("VIEWS", "REACH", "LOOKBACK", "CHANGELOGS"):
            raise AttributeError(f"module {__name__} has no {name}")
        from streaming.project import views

        found = views()
        globals().update(
            VIEWS=found,
            REACH=max(view.reach for view in found.values()),
            LOOKBACK=max(view.lookback for view in found.values()),
            CHANGELOGS=tuple(sorted({topic for view in found.values() for topic in view.changelogs})),
        )
        return globals()[name]
