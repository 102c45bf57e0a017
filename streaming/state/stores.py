"""The stores of all views and their plans, one per core: what is the same whether rows are in the driver or in tasks.

Data flow: views -> hands -> a plan each; what the stores told after a step -> what is held, what is hot
Run: pytest tests/streaming/test_view_state.py
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Generic, Protocol, TypeVar

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import SparkSession

from infra.lake.at_once import threads
from infra.settings import settings
from infra.spark_conf import GENERATED
from streaming.state.found import KEPT_KIND
from streaming.state.hot import Hot
from streaming.state.kinds import kinds
from streaming.state.layout import Layout
from streaming.state.prepared_plan import standing_session
from streaming.state.store import SETTINGS, PartStore
from streaming.views import VIEWS
from streaming.views.law import Additive
from streaming.views.view import View

PARTS = "views by parts, on disk"
"""In what is held, beside the names of additive views: all that the stores keep."""
GENERATE_AFTER = 200_000
"""Events since the start after which the views' code is generated. It takes 10 s of CPU, and saves a third of what views take."""


class Plan(Protocol):
    """The standing plan of some views."""

    layout: Layout
    store: PartStore

    def made_anew(self) -> None:
        """Plan the views by the session's settings as they are now."""


P = TypeVar("P", bound=Plan)
T = TypeVar("T")


class Stores(ABC, Generic[P]):
    """The plans, as `make(session, views, number)` makes them, in a session of their own; `conf` are settings of it."""

    def __init__(
        self, session: SparkSession, make: Callable[[SparkSession, list[View], int], P], conf: dict[str, str]
    ) -> None:
        own = standing_session(session)
        for name, value in {**SETTINGS, **conf}.items():
            own.conf.set(name, value)
        self._session, self._events, self._is_generated = own, 0, False
        dealt = hands(session)
        self._pool = ThreadPoolExecutor(len(dealt), "views")
        # To plan all views takes seconds, and nothing is answered before.
        self._plans = list(self._pool.map(lambda place: make(own, dealt[place], place), range(len(dealt))))
        self._kept = 0, 0
        self.hot = Hot()
        self.version = 0
        """How many steps the stores have taken."""

    @property
    def layout(self) -> str:
        """What the stores hold: a state of another layout cannot be read."""
        return "\n".join(plan.layout.json("") for plan in self._plans)

    def fill(self, pieces: Iterable[pa.Table], rows: Mapping[str, pa.Table], watermark: pa.Scalar | None) -> None:
        """Start from pieces of silver's events around the watermark, as from `on_time_since`, and each view's open rows."""
        for piece in pieces:
            self._fill(piece, watermark)
        self._idle()
        self._each(lambda plan: plan.store.filled(self.version, watermark))
        self.version += 1
        self.resume(self.version, rows, {})

    def look(self) -> None:
        """Read the stores. Fails where one of them does not have the version."""
        self._idle()
        self._each(lambda plan: plan.store.look(self.version))

    @abstractmethod
    def resume(self, version: int, opened: Mapping[str, pa.Table], ended: Mapping[str, pa.Table]) -> None:
        """Go on from a version of the stores, with rows (with CLOSES) that they are to learn: open ones, and those open no more.

        Of additive views all open rows are needed.
        """

    @abstractmethod
    def _fill(self, piece: pa.Table, watermark: pa.Scalar | None) -> None:
        """Take a step that adds events and gives nothing out."""

    def _idle(self) -> None:
        """The next job is given no rows."""

    def _came(self, events: int) -> None:
        """So many events come now. When many have, plan the views again, once, with generated code."""
        self._events += events
        if self._events >= GENERATE_AFTER and not self._is_generated:
            chosen = settings().of_stream
            for name, value in GENERATED.items():
                self._session.conf.set(name, chosen.get(name, value))
            self._each(lambda plan: plan.made_anew())
            self._is_generated = True

    def _stepped(self, told: Sequence[pa.Table]) -> None:
        """All stores have taken a step, and told this."""
        self.version += 1
        own = pa.concat_tables([one.filter(pc.equal(one["kind"], KEPT_KIND)) for one in told])
        self._kept = pc.sum(own["views"]).as_py(), pc.sum(own["wake"]).as_py()
        self.hot.saw([(plan.layout, one) for plan, one in zip(self._plans, told, strict=True)])

    def _each(self, work: Callable[..., T], *more: Sequence[Any]) -> list[T]:
        return list(self._pool.map(work, self._plans, *more))


def hands(session: SparkSession) -> list[list[View]]:
    """The views dealt out to as many plans as can run at once: those of one kind of parts together."""
    alike = [list(kind.views) for kind in kinds(tuple(VIEWS.values()))]
    alike += [[view] for view in VIEWS.values() if isinstance(view.law, Additive)]
    found: list[list[View]] = [[] for _ in range(min(threads(session), len(alike)))]
    # The dearest first, each to the hand that has least to do.
    for some in sorted(alike, key=_cost, reverse=True):
        min(found, key=_cost).extend(some)
    return found


def _cost(views: list[View]) -> float:
    """In streams that views read by parts: 20,000 records took 0.1 s of CPU in each, and a fifth of it where additive."""
    return sum(len(view.streams) * (0.2 if isinstance(view.law, Additive) else 1) for view in views)
