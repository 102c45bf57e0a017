"""The chart of the lab of direct messaging: what each transport lost and doubled in each situation, as bars.

Data flow: the rows of a kept result -> HTML, which loads nothing
Run: daybreak lab direct
"""

from html import escape
from itertools import groupby

from infra.lab.result import Result, Row


def chart(result: Result) -> str:
    """A panel per situation, a bar per transport: its length is the share of the deliveries that were due.

    All bars have one scale, so panels can be compared. The figures stand beside them.
    """
    rows = result.rows
    most = max((_share(row) for row in rows), default=0.0) or 1.0
    panels = "".join(
        f"<figure><figcaption>{escape(str(situation))}</figcaption>"
        f'<ul class="bars">{"".join(_bar(row, most) for row in own)}</ul></figure>'
        for situation, own in groupby(rows, key=lambda row: row["situation"])
    )
    legend = '<span class="lost"></span> lost <span class="doubled"></span> doubled'
    full = f"a full bar is {100 * most:.0f} % of the deliveries that were due"
    return f'<div class="panels">{panels}</div><p class="note legend">{legend}; {full}</p>'


def _share(row: Row) -> float:
    return (int(row["lost"]) + int(row["doubled"])) / max(int(row["due"]), 1)


def _bar(row: Row, most: float) -> str:
    due = max(int(row["due"]), 1)
    parts = "".join(
        f'<span class="{what}" style="width:{100 * int(row[what]) / due / most:.2f}%"></span>'
        for what in ("lost", "doubled")
    )
    said = ", ".join(f"{int(row[what]):,} {what}" for what in ("lost", "doubled") if row[what]) or "0"
    return f'<li><span>{escape(str(row["transport"]))}</span><span class="bar">{parts}</span><span>{said}</span></li>'
