"""The table of what fits, for the labs' page: each figure leads to the section of the lab that measured it.

Data flow: Said after Said -> HTML, which loads nothing
Run: daybreak lab fit
"""

from collections.abc import Sequence
from html import escape

from infra.lab.fit.need import Choice, Need
from infra.lab.fit.table import Said, at
from infra.lab.labs import FIT


def section(found: Sequence[Said]) -> str:
    """A row per need, a column per choice."""
    head = "".join(f'<th scope="col">{name}</th>' for name in ("what happens", *Choice))
    body = "".join(
        f'<tr><td data-column="what happens">{escape(need)}</td>'
        + "".join(
            _cell(choice, [one for one in found if (one.need, one.choice) == (need, choice)]) for choice in Choice
        )
        + "</tr>"
        for need in Need
    )
    return f"""<section id="{FIT.name}" aria-labelledby="{FIT.name}-question">
<h2 id="{FIT.name}-question">{escape(FIT.question)}</h2>
<div class="rows" tabindex="0"><table class="stacks fit"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>
<p class="note">{escape(FIT.about)}</p>
</section>"""


def _cell(choice: Choice, own: Sequence[Said]) -> str:
    return f'<td data-column="{choice}"><div>{"".join(map(_figure, own))}</div></td>'


def _figure(one: Said) -> str:
    lab = f'<a href="#{one.lab.name}">{escape(one.lab.name)}</a>'
    kind, when = (' class="figure"', f", <time>{at(one)}</time>") if one.at else (' class="unmeasured"', "")
    return f"<p{kind}>{escape(one.says)} <span>({lab}{when})</span></p>"
