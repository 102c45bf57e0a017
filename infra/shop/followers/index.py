"""The search index as a follower of the table `products`.

Data flow: topic `shop.public.products` -> ProductIndex in `<home>/followers/index`
Run: daybreak follower search mug
"""

import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

from infra.settings import Settings
from infra.shop.db.changes import Key, Row, read
from infra.shop.db.connector import topic
from infra.shop.followers.follower import Beside, Follower, Position, Record, System
from infra.shop.followers.product_index import TABLE, ProductIndex


class _Index:
    """A ProductIndex that takes records. What is no change of a row is quarantined by the stream, and passed over here."""

    def __init__(self, folder: Path) -> None:
        self._folder, index = folder, ProductIndex.to_follow(folder)
        self._index = index
        self.position, self.close = index.position, index.close

    def apply(self, records: Sequence[Record], position: Position) -> None:
        found = (read(TABLE, one.value) for one in records)
        self._index.apply([one for one in found if one is not None], position)

    def rows(self, table: str) -> Mapping[Key, Row]:
        return self._index.rows()

    def discard(self) -> None:
        self.close()
        shutil.rmtree(self._folder, ignore_errors=True)


def folder(s: Settings) -> Path:
    """Where the index is."""
    return s.home / "followers" / "index"


def _beside(s: Settings) -> Path:
    return folder(s).with_name("index.new")


def _fresh(s: Settings) -> Follower:
    shutil.rmtree(_beside(s), ignore_errors=True)
    return _Index(_beside(s))


def _swapped(s: Settings, fresh: Follower) -> None:
    shutil.rmtree(folder(s), ignore_errors=True)
    _beside(s).rename(folder(s))


INDEX = System(
    name="index",
    tables=(TABLE,),
    topics=lambda s: (topic(TABLE),),
    opened=lambda s: _Index(folder(s)),
    anew=Beside(fresh=_fresh, swapped=_swapped),
)
