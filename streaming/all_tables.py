"""The tables that the stream writes.

Data flow: declarations of tables, VIEWS -> what the stream creates at its start, and what the catalog describes
Run: daybreak tables
"""

from infra.lake.tables import Table
from streaming.positions.gaps import BRONZE_GAPS
from streaming.tables.bronze import BRONZE
from streaming.tables.progress import PROGRESS
from streaming.tables.silver import QUARANTINE, SILVER
from streaming.tables.speed import speed_table
from streaming.views import VIEWS


def speed_tables() -> dict[str, Table]:
    """speed/<view> of every view, by the view's name."""
    return {view.name: speed_table(view) for view in VIEWS.values()}


def stream_tables() -> tuple[Table, ...]:
    """All of them, in the order in which they are created: if the last one exists, all do."""
    return (BRONZE, SILVER, QUARANTINE, PROGRESS, *speed_tables().values(), BRONZE_GAPS)
