"""The chart of the lab of overload: for each case what became of the orders, how old the newest was, and where memory went.

Data flow: the curves of a kept result -> HTML, which loads nothing
Run: daybreak lab overload
"""

from collections.abc import Mapping, Sequence
from html import escape

from infra.lab.overload.curves import DELAY, MADE, PROCESSED
from infra.lab.overload.table import LOST, NOT_TAKEN, SIZES
from infra.lab.result import Curves, Result

PLOTS: dict[str, Sequence[str]] = {
    "orders": (MADE, PROCESSED, NOT_TAKEN, LOST),
    "delay": (DELAY,),
    "memory and disk": tuple(SIZES),
}
"""The plots of a case, and the curves in each."""
UNITS = {"orders": "", "delay": " s", "memory and disk": " MB"}
LEAST_MB = 0.1
"""A size that never grew by so much is not named under its plot."""
WIDTH, HEIGHT = 300, 90


def chart(result: Result) -> str:
    """A figure per case with its plots. Plots of one kind have one scale, and all have one time, so they can be compared."""
    end = max((one.seconds[-1] for one in result.curves), default=0.0) or 1.0
    tops = {plot: _top(result.curves, names) for plot, names in PLOTS.items()}
    figures = "".join(
        f'<figure class="case"><figcaption>{escape(one.of)}</figcaption><div class="plots">'
        + "".join(_plot(plot, one, tops[plot], end) for plot in PLOTS)
        + "</div></figure>"
        for one in result.curves
    )
    keys = "".join(f'<span class="keys">{escape(plot)}: {_keys(names)}</span>' for plot, names in PLOTS.items())
    ends = f"Each plot begins with the first order and ends after {end:.0f} s; its height stands on the right."
    return f'<p class="note legend">{keys}</p>{figures}<p class="note">{ends}</p>'


def _keys(names: Sequence[str]) -> str:
    return "".join(f'<span class="key {_class(name)}">{escape(name.partition(" (")[0])}</span>' for name in names)


def _top(curves: Sequence[Curves], names: Sequence[str]) -> float:
    return (
        max((max(one.values[name], default=0) for one in curves for name in names if name in one.values), default=0)
        or 1
    )


def _plot(plot: str, one: Curves, top: float, end: float) -> str:
    drawn = "".join(
        f'<polyline class="{_class(name)}" points="{_points(one.seconds, one.values[name], top, end)}"/>'
        for name in PLOTS[plot]
        if any(one.values.get(name, ()))
    )
    said = SAYS[plot](one.values)
    shape = f'viewBox="0 0 {WIDTH} {HEIGHT}" preserveAspectRatio="none" role="img" aria-label="{escape(said)}"'
    return (
        f'<div class="plot"><svg {shape}>{drawn}</svg>'
        f'<p><span>{escape(said)}</span><span class="top">{top:,.0f}{UNITS[plot]}</span></p></div>'
    )


def _points(seconds: Sequence[float], values: Sequence[float], top: float, end: float) -> str:
    return " ".join(f"{WIDTH * x / end:.1f},{HEIGHT * (1 - y / top):.1f}" for x, y in zip(seconds, values, strict=True))


def _class(name: str) -> str:
    return name.partition(" (")[0].replace(" ", "-")


def _orders(values: Mapping[str, Sequence[float]]) -> str:
    return ", ".join(f"{values[name][-1]:,.0f} {name}" for name in (PROCESSED, NOT_TAKEN, LOST) if values[name][-1])


def _delay(values: Mapping[str, Sequence[float]]) -> str:
    return f"delay up to {max(values[DELAY]):.1f} s"


def _sizes(values: Mapping[str, Sequence[float]]) -> str:
    grown = {name.removesuffix(" (MB)"): max(values[name], default=0) for name in SIZES if name in values}
    named = [f"{name} +{most:.1f}" for name, most in grown.items() if most >= LEAST_MB]
    return f"MB: {', '.join(named)}" if named else f"less than {LEAST_MB} MB"


SAYS = {"orders": _orders, "delay": _delay, "memory and disk": _sizes}
"""What stands under each plot."""
