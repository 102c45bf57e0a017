"""Which view a name means: a view's own name, a table of it in any layer, or a model of dbt that is made from it.

Data flow: `VIEW`, `truth.VIEW`, `gold.fct_VIEW`, a project's own model of gold -> View
Run: daybreak explain gold.fct_order_totals "2026-01-31 12:00"
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import get_close_matches

from infra.failures import PermanentFailure
from infra.settings import settings
from infra.sql.models import models as models_of_gold
from streaming.views import VIEWS
from streaming.views.view import View

OF_A_VIEW = re.compile(r"(?:fct_|stg_speed__|stg_truth__)?(\w+?)(?:_history)?")
"""How the models that are generated from a view are called: batch/catalog/views.py."""
OF_EACH = "for view in views()"
"""So a model says that it refers to what every view is made into."""
REF = re.compile(r"""\bref\(\s*['"](\w+)['"]\s*\)""")


@dataclass(frozen=True)
class Asked:
    """The view that is meant, and the model of gold that was named; `is_own`: the model is generated from the view."""

    view: View
    model: str | None = None
    is_own: bool = True


def asked(name: str) -> Asked:
    """Which view is meant. Raises PermanentFailure, with the nearest names, if none or more than one is."""
    bare = name.rpartition(".")[2]
    model = bare if name.startswith("gold.") or bare.startswith(("fct_", "dim_", "rpt_")) else None
    if view := _own(bare):
        return Asked(view, model)
    models = {path.stem: path for path in sorted((models_of_gold(settings()) / "models").rglob("*.sql"))}
    if bare not in models:
        names = [*VIEWS, *(f"gold.{one}" for one in models if one.startswith(("fct_", "rpt_", "dim_")))]
        near = get_close_matches(name, names, 3, 0.5) or get_close_matches(bare, names, 3, 0.3)
        said = f"the nearest names are {', '.join(near)}; " if near else ""
        raise PermanentFailure(f"there is no view or model of gold {name!r}: {said}the views are {', '.join(VIEWS)}")
    found = sorted({view.name for view in _made_from(bare, {one: path.read_text() for one, path in models.items()})})
    if not found:
        raise PermanentFailure(f"{name} is made from no view, so no row of a view explains it (daybreak docs shows it)")
    if len(found) > 1:
        raise PermanentFailure(f"{name} is made from several views: explain a row of one of them: {', '.join(found)}")
    return Asked(VIEWS[found[0]], bare, is_own=False)


def _own(model: str) -> View | None:
    """The view of this name, or the one that the model is generated from."""
    if model in VIEWS:
        return VIEWS[model]
    found = OF_A_VIEW.fullmatch(model)
    return VIEWS.get(found[1]) if found else None


def _made_from(model: str, texts: dict[str, str], seen: frozenset[str] = frozenset()) -> Iterator[View]:
    """The views that a model refers to, through other models too."""
    if OF_EACH in texts.get(model, ""):
        yield from VIEWS.values()
    for other in sorted({*REF.findall(texts.get(model, ""))} - seen):
        if view := _own(other):
            yield view
        else:
            yield from _made_from(other, texts, seen | {model})
