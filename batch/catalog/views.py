"""What dbt has of a view: its data for the macros, a staging model per layer, a fact, and the fact's history.

Data flow: View -> dbt/macros/views.sql, stg_speed__<view>, stg_truth__<view>, fct_<view>, fct_<view>_history
Run: make catalog
"""

from collections.abc import Collection, Iterator

from batch.catalog.text import Column, columns, keyed, macro_file, model, models_file, sql_file
from streaming.views.view import View

ORIGIN = "streaming/views"
STATUS = "provisional (the stream's answer), settled (the truth), corrected (the truth, and"
FINAL = "Has the watermark passed the row's close?"
REVISIONS = "In how many settlements the row was corrected"


def files(found: Collection[View]) -> Iterator[tuple[str, str]]:
    """Path under dbt/ and text."""
    yield "macros/views.sql", macro_file(ORIGIN, "every view as data", "views", {v.name: _data(v) for v in found})
    yield "models/staging/views.yml", models_file(ORIGIN, [lines for view in found for lines in _staging(view)])
    yield "models/marts/views.yml", models_file(ORIGIN, [lines for view in found for lines in _facts(view)])
    for view in found:
        origin = f"{ORIGIN}/{view.name}"
        yield f"models/staging/stg_speed__{view.name}.sql", sql_file(origin, f"speed_rows('{view.name}')")
        yield f"models/staging/stg_truth__{view.name}.sql", sql_file(origin, f"truth_rows('{view.name}')")
        yield f"models/marts/fct_{view.name}.sql", sql_file(origin, f"by_day() }}}}\n{{{{ fact('{view.name}')")
        yield f"models/marts/fct_{view.name}_history.sql", _history(view, origin)


def _data(view: View) -> dict[str, object]:
    return {
        "key": list(view.key),
        "columns": {one.name: one.dataType.simpleString() for one in view.columns},
        "closes": view.closes,
        "prefer": list(view.prefer),
        "while_open": {name: list(values) for name, values in view.while_open.items()},
    }


def _columns(view: View, may_be_open: bool) -> list[Column]:
    """The view's columns and its day, as gold has them; `may_be_open`: also rows that are not final."""
    more = {name: f"; {to} instead of {of} until the row closes" for name, (of, to) in view.while_open.items()}
    return [(name, text + (more.get(name, "") if may_be_open else "")) for name, text in columns(view.schema)]


def _staging(view: View) -> Iterator[list[str]]:
    key = keyed(("day", *view.key), view.key)
    said = [
        ("is_final", f"{FINAL} Until then it may still change"),
        ("as_of", "When the micro-batch started that wrote the row (UTC)"),
    ]
    yield model(
        f"stg_speed__{view.name}",
        f"{view.description} The stream's current answer.",
        [*_columns(view, True), *said],
        key,
    )
    yield model(
        f"stg_truth__{view.name}",
        f"{view.description} As the night found it in the whole log.",
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
            ("is_final", f"{FINAL} True of settled rows"),
            ("status", f"{STATUS} another answer had been served)"),
            ("as_of", "When this was known: the day's settlement, or the stream's micro-batch (UTC)"),
            (
                "expected_completeness",
                "The least share of the row's events that should have been counted by now, see rpt_expected_completeness. "
                "1 if settled, and only then; 0 while the row is open; null while no day has been measured",
            ),
            ("revisions", f"{REVISIONS}; 0 on provisional days"),
        ],
        keyed(("day", *view.key), (*view.key, "day", "status")),
    )  # fmt: skip
    served = ", ".join((*[one.name for one in view.columns], "is_final"))
    yield model(
        f"{name}_history",
        f"Every version of a row of {name} that was ever served, with the time in which it was the answer: the stream's row "
        "while the day was not settled, then the truth as settled, changed by each correction. A view, as new as the lake; what "
        "gold had at some time is the version of its last build before.",
        [
            *_columns(view, True),
            ("is_final", "Had the watermark passed the row's close? True of settled rows"),
            ("status", f"{STATUS} another answer had been served)"),
            ("revision", "The settlement of the day that the row comes from, from 1; null: the stream"),
            ("revisions", "How many corrections of the row there had been by then"),
            ("cause", "Why it was corrected; null if it was not"),
            ("valid_from", "Since when: the micro-batch's as_of, or the settlement (UTC)"),
            ("valid_to", "Until when (UTC); null: it is valid now"),
        ],
        [
            "data_tests:",
            "  - versions_follow_one_another:",
            f"      arguments: {{key: [{', '.join(view.key)}]}}",
            "  - is_what_is_served:",
            "      arguments:",
            f"        fact: ref('{name}')",
            f"        columns: [{served}]",
        ],
    )  # fmt: skip


def _history(view: View, origin: str) -> str:
    return sql_file(origin, f"config(materialized='view') }}}}\n{{{{ history('{view.name}')")
