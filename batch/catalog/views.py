"""What is generated for dbt from a view: its data for the macros, a staging model per layer, a fact and its history.

Data flow: View -> dbt/macros/views.sql, stg_speed__<view>, stg_truth__<view>, fct_<view>, fct_<view>_history
Run: make catalog
"""

from collections.abc import Collection, Iterator

from batch.catalog.text import Column, columns, keyed, macro_file, model, models_file, sql_file
from streaming.views.view import View

STATUS = "provisional (the stream's answer), settled (the truth), corrected (the truth;"
FINAL = "Has the watermark passed the time at which the row closes?"
REVISIONS = "In how many settlements the row was corrected"


def files(found: Collection[View], origin: str) -> Iterator[tuple[str, str]]:
    """Path under dbt/ and text. `origin`: where the views lie."""
    yield "macros/views.sql", macro_file(origin, "every view as data", "views", {v.name: _data(v) for v in found})
    yield "models/staging/views.yml", models_file(origin, [lines for view in found for lines in _staging(view)])
    yield "models/marts/views.yml", models_file(origin, [lines for view in found for lines in _facts(view)])
    for view in found:
        own = f"{origin}/{view.name}"
        yield f"models/staging/stg_speed__{view.name}.sql", sql_file(own, f"speed_rows('{view.name}')")
        yield f"models/staging/stg_truth__{view.name}.sql", sql_file(own, f"truth_rows('{view.name}')")
        yield f"models/marts/fct_{view.name}.sql", sql_file(own, f"by_day() }}}}\n{{{{ fact('{view.name}')")
        yield f"models/marts/fct_{view.name}_history.sql", _history(view, own)


def _data(view: View) -> dict[str, object]:
    return {
        "key": list(view.key),
        "columns": {one.name: one.dataType.simpleString() for one in view.columns},
        "closes": view.closes,
        "prefer": list(view.prefer),
        "while_open": {name: list(values) for name, values in view.while_open.items()},
    }


def _columns(view: View, may_be_open: bool) -> list[Column]:
    """Name and meaning of the view's columns in gold, its day included; `may_be_open`: some rows are not final yet."""
    more = {name: f"; {to} instead of {of} until the row closes" for name, (of, to) in view.while_open.items()}
    return [(name, text + (more.get(name, "") if may_be_open else "")) for name, text in columns(view.schema)]


def _staging(view: View) -> Iterator[list[str]]:
    key = keyed(("day", *view.key), view.key)
    said = [
        ("is_final", f"{FINAL} Until then it may still change"),
        ("as_of", "Start of the micro-batch that wrote the row (UTC)"),
    ]
    yield model(
        f"stg_speed__{view.name}",
        f"{view.description} The stream's current answer.",
        [*_columns(view, True), *said],
        key,
    )
    yield model(
        f"stg_truth__{view.name}",
        f"{view.description} Recomputed by the night from the whole log.",
        _columns(view, False),
        key,
    )


def _facts(view: View) -> Iterator[list[str]]:
    name = f"fct_{view.name}"
    yield model(
        name,
        f"{view.description} The truth of settled days, and the stream's current answer for the others.",
        [
            *_columns(view, True),
            ("is_final", f"{FINAL} Of a settled row: had it, when the day was settled?"),
            ("status", f"{STATUS} another answer had been served before)"),
            ("as_of", "When this answer was made: the day's settlement, or the start of the stream's micro-batch (UTC)"),
            (
                "expected_completeness",
                "The least share of the row's events that should have been counted by now, see rpt_expected_completeness. "
                "1 for settled rows and no others; 0 while the row is open; null until a settled day has been measured",
            ),
            ("revisions", f"{REVISIONS}; 0 on provisional days"),
        ],
        keyed(("day", *view.key), (*view.key, "day", "status")),
    )  # fmt: skip
    served = ", ".join((*[one.name for one in view.columns], "is_final"))
    yield model(
        f"{name}_history",
        f"Every version of every row of {name}, with the time span in which it was the answer: the stream's rows while the "
        "day was not settled, then the settled truth and each later correction. This is a view on the lake and always "
        "current; gold itself served at a given time the versions that were valid at its last build before.",
        [
            *_columns(view, True),
            ("is_final", "Had the watermark passed the time at which the row closes? Of a settled version: by the settlement"),
            ("status", f"{STATUS} another answer had been served before)"),
            ("revision", "Number of the day's settlement that made this version, from 1; null if the stream made it"),
            ("revisions", "How many times the row had been corrected by then"),
            ("cause", "Why this version corrected the one before; null if it is no correction"),
            ("valid_from", "From when on this version was the answer: the micro-batch's as_of, or the settlement (UTC)"),
            ("valid_to", "Until when this version was the answer (UTC); null: it is the answer now"),
        ],
        [
            "data_tests:",
            "  - is_true_history:",
            "      arguments:",
            f"        fact: ref('{name}')",
            f"        key: [{', '.join(view.key)}]",
            f"        columns: [{served}]",
        ],
    )  # fmt: skip


def _history(view: View, origin: str) -> str:
    return sql_file(origin, f"config(materialized='view') }}}}\n{{{{ history('{view.name}')")
