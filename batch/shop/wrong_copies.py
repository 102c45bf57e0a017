"""Copies of the captured tables that are not the database: each is a problem until a comparison finds it equal.

Data flow: Comparison per table and copy -> infra/problems
Run: daybreak shop-db check
"""

from collections.abc import Mapping, Sequence

from infra.problems import Problem, keep
from infra.settings import Settings
from infra.shop.db.check import Comparison
from infra.shop.db.connector import topic
from streaming.quarantine import wrong_rows

SOURCE = "shop-db-check"
SNAPSHOT = "daybreak shop-db snapshot"
MENDS: Mapping[str, str] = {
    "the log": SNAPSHOT,
    "the stream": SNAPSHOT,
    "the night": f"{SNAPSHOT}; the night of that day settles it",
}
"""Of other copies, the followers, a rebuild mends."""


def told(s: Settings, found: Sequence[Comparison], before: Mapping[str, Problem]) -> None:
    """All copies were compared. `before`: `wrong_rows.known` before that; those of tables whose copy is equal are mended."""
    keep(s, SOURCE, [_problem(one) for one in found if not one.is_equal])
    equal = [topic(one.table) for one in found if one.copy == "the stream" and one.is_equal]
    wrong_rows.seen_right(s, before, equal)


def _problem(one: Comparison) -> Problem:
    name = one.copy.removeprefix("the ")
    what = (
        f"{one.differing:,} rows of {one.table} in {one.copy} are not as in the shop's database, the first: {one.first}"
    )
    mend = MENDS.get(one.copy, f"daybreak follower rebuild {name}")
    return Problem(f"captured.copy/{one.table}/{name}", what, mend, one.differing, (one.first,) if one.first else ())
