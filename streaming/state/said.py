"""What a view says after a micro-batch: its touched parts' rows as they are now, held against those that were open.

Data flow: rows that `define` gave, rows that were open -> rows to write, each with `is_final`; what the store learns of them
Run: pytest tests/streaming/test_view_state.py
"""

from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from streaming.state.layout import Layout
from streaming.state.nested import nested, whole
from streaming.state.view_state import CLOSES, REMOVED, alike, is_final
from streaming.views.view import View


@dataclass(frozen=True)
class Said:
    """The rows to write, and what the store learns of them, in the schema of its feed."""

    written: pa.Table
    learned: pa.Table


def said(
    layout: Layout,
    view: View,
    defined: pa.Table,
    before: pa.Table,
    touched: pa.Array,
    watermark: pa.Scalar | None,
    next_watermark: pa.Scalar | None,
) -> Said:
    """Rows of the touched parts that are new, have changed or became final, or are gone (as removed); and final rows of others.

    Rows that the watermark had closed before are left out: they are as they were, and some of their events are gone.
    """
    kind = layout.kinds[layout.kind_of(view)]
    was_touched = pc.is_in(kind.of_rows(view, before), value_set=touched)
    # Of parts that nothing touched: the watermark has passed them, as they were.
    ended = before.filter(pc.invert(was_touched))
    before = before.filter(was_touched)
    rows = defined.filter(pc.is_in(kind.of_rows(view, defined), value_set=touched))
    if watermark is not None:
        rows = rows.filter(pc.greater_equal(rows[CLOSES], watermark))
    before = alike(before, rows)
    final = is_final(rows, next_watermark)
    same = pc.is_in(_texts(rows, rows.column_names), value_set=_texts(before, rows.column_names))
    key = ["day", *view.key]
    keys, old = _texts(rows, key), _texts(before, key)
    gone = before.filter(pc.invert(pc.is_in(old, value_set=keys)))
    changed = pc.or_(final, pc.invert(same))
    ended = _flagged(alike(ended, rows).append_column("is_final", pa.repeat(True, ended.num_rows)), removed=False)
    written = _flagged(rows.append_column("is_final", final).filter(changed), removed=False)
    removed = _flagged(gone.append_column("is_final", pa.repeat(False, gone.num_rows)), removed=True)
    is_open = pc.and_(changed, pc.invert(final))
    was_open = pc.and_(final, pc.is_in(keys, value_set=old))
    learned = [
        learnt(layout, view, rows.filter(is_open), gone=False),
        learnt(layout, view, pa.concat_tables([rows.filter(was_open), gone]), gone=True),
    ]
    return Said(pa.concat_tables([written, removed, ended]), pa.concat_tables(learned))


def learnt(layout: Layout, view: View, rows: pa.Table, gone: bool) -> pa.Table:
    """Rows (with CLOSES) as the store's feed takes them: open ones, or those that are open no more."""
    form = layout.arrow[layout.rows[view.name]]
    row = nested(rows, form.field("row").type)
    columns = {
        "part": whole(layout.kinds[layout.kind_of(view)].of_rows(view, rows)),
        "text": _texts(rows, ["day", *view.key]),
        "gone": pa.repeat(gone, rows.num_rows),
        "closes": row.field(CLOSES).cast(pa.int64()),
        "row": row,
    }
    return pa.table(columns)


def _texts(rows: pa.Table, names: list[str]) -> pa.Array:
    """Each row's values as one text, to compare rows by; a null is not an empty text."""
    values = [rows[name] for name in names]
    plain = [one.cast(pa.int64()) if pa.types.is_timestamp(one.type) else one for one in values]
    texts = [one.cast(pa.string()) for one in plain]
    return pc.binary_join_element_wise(
        *texts, "\x1f", null_handling="replace", null_replacement="\x00"
    ).combine_chunks()


def _flagged(rows: pa.Table, removed: bool) -> pa.Table:
    return rows.append_column(REMOVED, pa.repeat(removed, rows.num_rows))
