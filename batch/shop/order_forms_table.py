"""What the CQRS lab shows: its table, its sentence, and the forms that do not say the same.

Data flow: Form after Form -> rows, sentences
Run: daybreak lab cqrs
"""

from collections.abc import Sequence

from batch.shop.order_forms import FOLDED, WRITTEN, Form
from infra.lab.result import Row


def rows(found: Sequence[Form]) -> list[Row]:
    """A row per form."""
    return [
        {
            "form": one.form,
            "kept in": one.kept_in,
            "answers": one.answers,
            "rows": one.rows,
            "bytes": one.size,
            "found in": f"{one.milliseconds:,.1f} ms",
            "says": one.status or "-",
            "built anew by": one.again,
        }
        for one in found
    ]


def shows(order: str, found: Sequence[Form]) -> str:
    """The measured figures in one sentence."""
    (written,) = [one for one in found if one.form == WRITTEN]
    read = [one for one in found if one.form not in (WRITTEN, FOLDED)]
    said = {one.status for one in found if one.status}
    if not read:
        return f"{order} is {written.rows} events of {written.size:,} bytes, and has no read form yet: no night has settled it."
    fastest, slowest = (pick(read, key=lambda one: one.milliseconds) for pick in (min, max))
    return (
        f"{order} was written as {written.rows} events of {written.size:,} bytes; they are found in "
        f"{written.milliseconds:,.0f} ms, because a log has no key to look up. {len(read)} read forms have it by its key, each "
        f"for another question, from {fastest.milliseconds:,.1f} ms ({fastest.kept_in}) to {slowest.milliseconds:,.0f} ms "
        f"({slowest.kept_in}); all that say how it stands say {', '.join(sorted(said))}."
    )


def broken(found: Sequence[Form]) -> list[str]:
    """A sentence if two forms say different things of the order."""
    said = {one.form: one.status for one in found if one.status}
    if len(set(said.values())) < 2:
        return []
    return ["the forms differ: " + ", ".join(f"{form} says {status}" for form, status in said.items())]
