"""The newest row of each key, and the newest correction of each row of a view, in Valkey or Redis.

Data flow: changes, corrections -> hashes of the server, with the position up to which they were applied
Run: daybreak follower get products p-1

There are two sets of hashes, `a` and `b`, and one key that says which of them serves: a rebuild writes into the other one. Rows
and position are written in one MULTI/EXEC, and only if the position is still the one that was left there: a server that lost its
data, or a second writer, is noticed before anything is applied.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from valkey import Valkey
from valkey.exceptions import WatchError

from infra.failures import TransientFailure
from infra.settings import Settings
from infra.shop.db.changes import Change, Key, Row
from infra.shop.db.tables import COMPARED
from infra.shop.followers.cache_client import answers, client, keeps_all
from infra.shop.followers.corrected import Correction
from infra.shop.followers.follower import Position, as_text, from_text

# In a cluster the braces keep all of it on one node: a transaction has one.
PREFIX = "{daybreak}"
SERVES = f"{PREFIX}:serves"
SETS = ("a", "b")
CORRECTIONS, POSITION = "corrections", "position"
PAGE = 1000
"""About how many fields of a hash the server sends at a time."""


class RowCache:
    """One of the two sets of hashes. `apply` needs to be its only writer."""

    def __init__(self, s: Settings, which: str) -> None:
        self._s, self.which = s, which
        self._own: Valkey = client(s)
        self._left = self.position()

    @classmethod
    def serving(cls, s: Settings) -> "RowCache":
        """The set that serves; the first one in a server that has none. Raises PermanentFailure if it may drop rows by itself."""
        with answers(s), client(s) as own:
            keeps_all(own)
            own.set(SERVES, SETS[0], nx=True)
            which = own.get(SERVES)
        return cls(s, which if which in SETS else SETS[0])

    @classmethod
    def beside(cls, s: Settings) -> "RowCache":
        """The other set, emptied."""
        other = cls(s, SETS[1 - SETS.index(cls.serving(s).which)])
        other.clear()
        return other

    def serve(self) -> None:
        """Take the place of the other set, whose memory is then given back."""
        with answers(self._s):
            self._own.set(SERVES, self.which)
        RowCache(self._s, SETS[1 - SETS.index(self.which)]).clear()

    def clear(self) -> None:
        """Throw away what is in this set."""
        with answers(self._s):
            self._own.unlink(*(self._name(what) for what in (*COMPARED, CORRECTIONS, POSITION)))
        self._left = {}

    def apply(
        self, changes: Sequence[tuple[str, Change]], corrections: Sequence[Correction], position: Position
    ) -> None:
        """Apply changes of tables and corrections, and go on to the position, in one transaction.

        Of a key the change with the largest LSN counts, and of a row the correction with the largest sequence.
        Raises TransientFailure if the position is not where it was left, PermanentFailure if the server is full.
        """
        with answers(self._s), self._own.pipeline() as pipe:
            pipe.watch(self._name(POSITION))
            if from_text(pipe.hgetall(self._name(POSITION))) != self._left:
                raise TransientFailure(_LOST)
            written = self._newer_rows(changes) | self._newer_corrections(corrections)
            pipe.multi()
            for name, fields in written.items():
                pipe.hset(name, mapping=fields)
            if position:
                pipe.hset(self._name(POSITION), mapping=as_text(position))
            try:
                pipe.execute()
            except WatchError as another:
                raise TransientFailure(_LOST) from another
        self._left = dict(position)

    def _newer_rows(self, changes: Sequence[tuple[str, Change]]) -> dict[str, dict[str, str]]:
        """Of each hash the fields that these changes replace. A deleted row leaves its LSN: no older change brings it back."""
        found: dict[str, dict[str, str]] = {}
        for table in {table for table, _ in changes}:
            own = [(_field(one.key), one) for other, one in changes if other == table]
            last = self._known(table, [field for field, _ in own], lambda text: int(json.loads(text)[0]))
            fields = found.setdefault(self._name(table), {})
            for field, one in own:
                if one.lsn >= last[field]:
                    last[field], fields[field] = one.lsn, json.dumps([one.lsn, one.after])
        return {name: fields for name, fields in found.items() if fields}

    def _newer_corrections(self, corrections: Sequence[Correction]) -> dict[str, dict[str, str]]:
        last = self._known(
            CORRECTIONS, [one.row for one in corrections], lambda text: int(json.loads(text)["sequence"])
        )
        fields: dict[str, str] = {}
        for one in corrections:
            if one.sequence >= last[one.row]:
                last[one.row], fields[one.row] = one.sequence, one.text
        return {self._name(CORRECTIONS): fields} if fields else {}

    def _known(self, what: str, fields: Sequence[str], number: Any) -> dict[str, int]:
        """The number of each field's value; -1 for a field that was never there."""
        there = self._own.hmget(self._name(what), list(fields)) if fields else []
        return {field: -1 if text is None else number(text) for field, text in zip(fields, there, strict=True)}

    def position(self) -> Position:
        """Up to where records were applied; empty for a new set, and for one that the server has lost."""
        with answers(self._s):
            return from_text(self._own.hgetall(self._name(POSITION)))

    def row(self, table: str, key: Key) -> Row | None:
        """A row; None if there is none."""
        with answers(self._s):
            text = self._own.hget(self._name(table), _field(key))
        row: Row | None = json.loads(text)[1] if text else None
        return row

    def correction(self, row: str) -> str | None:
        """The newest correction of a row of a view, as its record has it; None if it was never corrected."""
        with answers(self._s):
            text: str | None = self._own.hget(self._name(CORRECTIONS), row)
        return text

    def rows(self, table: str) -> Mapping[Key, Row]:
        """Every row of a table by its key."""
        with answers(self._s):
            found = {field: json.loads(text)[1] for field, text in self._own.hscan_iter(self._name(table), count=PAGE)}
        return {tuple(json.loads(field)): row for field, row in found.items() if row is not None}

    def close(self) -> None:
        """End the connection."""
        self._own.close()

    def _name(self, what: str) -> str:
        return f"{PREFIX}:{self.which}:{what}"


_LOST = "the cache is not where its follower left it, which begins anew from there"


def _field(key: Key) -> str:
    return json.dumps(list(key))
