"""The cache as a follower of the captured tables and of the corrections.

Data flow: topics `shop.public.*`, `corrections` -> RowCache in Valkey or Redis
Run: daybreak follower get products p-1
"""

from collections.abc import Sequence

from infra.settings import Settings
from infra.shop.db.changes import read as change_in
from infra.shop.db.connector import topic
from infra.shop.db.tables import COMPARED
from infra.shop.followers.corrected import read as correction_in
from infra.shop.followers.follower import Beside, Follower, Position, Record, System
from infra.shop.followers.row_cache import RowCache

TABLES = {topic(table): table for table in COMPARED}


class _Cache:
    """A RowCache that takes records. What is no change of a row is quarantined by the stream, and passed over here."""

    def __init__(self, s: Settings, cache: RowCache) -> None:
        self._s, self.cache = s, cache
        self.position, self.rows, self.close, self.discard = cache.position, cache.rows, cache.close, cache.clear

    def apply(self, records: Sequence[Record], position: Position) -> None:
        changes = [
            (TABLES[one.topic], change_in(TABLES[one.topic], one.value)) for one in records if one.topic in TABLES
        ]
        corrections = [correction_in(one.value) for one in records if one.topic == self._s.corrections_topic]
        self.cache.apply(
            [(table, one) for table, one in changes if one is not None],
            [one for one in corrections if one is not None],
            position,
        )


def _swapped(s: Settings, fresh: Follower) -> None:
    assert isinstance(fresh, _Cache)
    fresh.cache.serve()


CACHE = System(
    name="cache",
    tables=COMPARED,
    topics=lambda s: (*TABLES, s.corrections_topic),
    opened=lambda s: _Cache(s, RowCache.serving(s)),
    anew=Beside(fresh=lambda s: _Cache(s, RowCache.beside(s)), swapped=_swapped),
)
