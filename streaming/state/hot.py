"""Hot parts: an order id or a session that has thousands of events, named for whoever looks for what is slow.

Data flow: what the stores tell after a micro-batch -> sentences of `daybreak status`; are there parts that may wait?
Run: pytest tests/streaming/test_hot_parts.py

A part is computed from all its events. So a key that a robot or a faulty producer sends for everything delays itself, and the
micro-batch that it is in.
"""

import time
from collections.abc import Callable

import pyarrow as pa
import pyarrow.compute as pc

from streaming.state import layout
from streaming.state.layout import HOT_KIND, Layout
from streaming.views.law import ByPart

FOR_SECONDS = 600.0
"""How long a part is named behind the last micro-batch that touched it."""
MOST = 3
"""Parts that are named at once, the largest ones."""


class Hot:
    """What the last micro-batches touched that is large."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._seen: dict[tuple[str, str], tuple[int, float]] = {}
        self.is_large = False
        """Did the last micro-batch touch a part that may wait for the next one?"""

    def saw(self, told: list[tuple[Layout, pa.Table]]) -> None:
        """What each store told after a micro-batch, as `layout.TOLD`."""
        now, is_large = self._clock(), False
        seen = {name: one for name, one in self._seen.items() if now - one[1] <= FOR_SECONDS}
        for own, rows in told:
            for row in rows.filter(pc.less_equal(rows["kind"], HOT_KIND)).to_pylist():
                events, law = row["views"], own.kinds[HOT_KIND - row["kind"]].law
                is_large |= events >= layout.LARGE
                # A window is as large as what happens in it.
                if isinstance(law, ByPart):
                    seen[law.column, row["part"]] = events, now
        # At once: another thread asks for what it says.
        self._seen, self.is_large = seen, is_large

    def notices(self) -> list[str]:
        """Sentences for `daybreak status`, the largest part first."""
        largest = sorted(self._seen.items(), key=lambda one: -one[1][0])
        return [
            f"{column} {part!r} is hot: it has {events:,} events, from which its rows are computed with each new one. As a rule "
            "its producer is at fault (one id for everything), or a robot"
            for (column, part), (events, _) in largest[:MOST]
        ]
