"""What tasks keep from one step to the next: what the store is to learn, and the open rows of additive views.

Data flow: Pending and sums after a step -> a file -> the same before the next step, in whatever process that runs
Run: pytest tests/streaming/test_in_tasks.py

A process that runs the next step as well still has what it read.
"""

from collections.abc import Mapping
from functools import lru_cache

import pyarrow as pa

from infra.lake.folder import Folder
from streaming.state.feeds import Pending
from streaming.state.layout import Layout
from streaming.state.packed import packed, unpacked
from streaming.state.view_state import Sums
from streaming.views import VIEWS
from streaming.views.law import Additive

ROWS, WAKES, SUMS = "rows ", "wakes ", "sums "
"""How names of tables begin: rows that the store learns of a view, marks that it learns, open rows of an additive view."""


def keep(folder: Folder, name: str, pending: Pending, sums: Mapping[str, pa.Table | None]) -> None:
    """Keep for the next step what it needs of this one."""
    tables = {f"{ROWS}{view}": rows for view, rows in pending.rows.items()}
    tables |= {f"{WAKES}{number}": own for number, own in enumerate(pending.wakes)}
    tables |= {f"{SUMS}{view}": rows for view, rows in sums.items() if rows is not None}
    folder.put(name, packed(tables))


def kept(folder: Folder, name: str | None) -> Mapping[str, pa.Table]:
    """What was kept under this name; nothing before the first step."""
    return _unpacked(folder, name) if name else {}


def pending_of(layout: Layout, found: Mapping[str, pa.Table]) -> Pending:
    """What the store of a layout is to learn."""
    rows = {view.name: found[f"{ROWS}{view.name}"] for view in layout.views if f"{ROWS}{view.name}" in found}
    return Pending(rows, [own for name, own in found.items() if name.startswith(WAKES)])


def sums_of(name: str, found: Mapping[str, pa.Table]) -> Sums:
    """The state of an additive view."""
    view = VIEWS[name]
    assert isinstance(view.law, Additive)
    own = Sums(view, view.law)
    if (rows := found.get(f"{SUMS}{name}")) is not None:
        own.restore(rows)
    return own


@lru_cache(16)
def body_of(folder: Folder, path: str) -> pa.Buffer:
    """A file's bytes. A step's feeds ask for it one after the other, and what has a name stays as it is."""
    with folder.files.open_input_file(path) as file:
        return file.read_buffer()


@lru_cache(2)
def _unpacked(folder: Folder, name: str) -> dict[str, pa.Table]:
    return unpacked(body_of(folder, name))
