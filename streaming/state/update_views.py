"""Update all views inside the ingest's micro-batch, in one Spark job per core.

Data flow: new on-time events -> state of each view -> jobs that run every `define` -> rows of speed/<view>
Run: python -m streaming

A job runs the same `define` as the night, on a static DataFrame. So there is no second watermark and no checkpoint per view;
a view costs the work on its rows, and one commit. Batch numbers and times never enter the plan.
"""

from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import SparkSession

from infra.lake.at_once import threads
from infra.settings import settings
from infra.spark_conf import GENERATED
from streaming.state import feeds, learned
from streaming.state.hot import Hot
from streaming.state.kinds import kinds
from streaming.state.prepared_plan import standing_session
from streaming.state.said import Said, said
from streaming.state.shared_plan import Found, SharedPlan
from streaming.state.store import SETTINGS
from streaming.state.view_state import CLOSES, Sums
from streaming.views import VIEWS
from streaming.views.law import Additive
from streaming.views.view import View

PARTS = "views by parts, on disk"
"""In what is held, beside the names of additive views: all that the stores keep."""
GENERATE_AFTER = 200_000
"""Events since the start after which the views' code is generated. It takes 10 s of CPU, and saves a third of what views take."""
T = TypeVar("T")


class Keeping:
    """The state of every view, and the plans that they share. The state of parts lies in `folder`, which all executors reach."""

    def __init__(self, session: SparkSession, folder: str) -> None:
        own = standing_session(session)
        for name, value in SETTINGS.items():
            own.conf.set(name, value)
        self._session, self._events, self._is_generated = own, 0, False
        self._sums = {view.name: Sums(view, view.law) for view in VIEWS.values() if isinstance(view.law, Additive)}
        hands = _hands(session)
        self._pool = ThreadPoolExecutor(len(hands), "views")
        # To plan all views takes seconds, and nothing is answered before.
        self._plans = list(
            self._pool.map(lambda place: SharedPlan(own, hands[place], place, folder), range(len(hands)))
        )
        self._pending = [feeds.Pending() for _ in self._plans]
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
        self._each(lambda plan, _: plan.store.filled(self.version, watermark))
        self.version += 1
        self.resume(self.version, rows, {})

    def resume(self, version: int, opened: Mapping[str, pa.Table], ended: Mapping[str, pa.Table]) -> None:
        """Go on from a version of the stores, with rows (with CLOSES) that they are to learn: open ones, and those open no more.

        Of additive views all open rows are needed.
        """
        self.version = version
        for name, sums in self._sums.items():
            sums.restore(opened[name])
        self._pending = [learned.of_rows(plan.layout, opened, ended) for plan in self._plans]

    def look(self) -> None:
        """Read the stores. Fails where one of them does not have the version."""
        self._each(lambda plan, _: plan.store.look(self.version))

    def update(
        self,
        new: pa.Table,
        watermark: pa.Scalar | None,
        next_watermark: pa.Scalar | None,
        more_comes: bool = False,
    ) -> Mapping[str, pa.Table]:
        """Per view, the rows to write after a micro-batch's new events (`counted_in_arrow`); views without any are left out.

        `watermark` is the watermark before these events, `next_watermark` the one after them. `more_comes` as in `PartStore.put`.
        """

        self._events += new.num_rows
        if self._events >= GENERATE_AFTER and not self._is_generated:
            self._generate()

        def step(plan: SharedPlan, pending: feeds.Pending) -> Found:
            given = feeds.tables(plan.layout, new, pending, watermark)
            plan.store.put(given, self.version, watermark, next_watermark, more_comes)
            return plan.run(new)

        written: dict[str, pa.Table] = {}
        pending = []
        found = self._each(step)
        for plan, one in zip(self._plans, found, strict=True):
            parts = _said(plan, one, watermark, next_watermark)
            written |= {name: own.written for name, own in parts.items()}
            pending.append(learned.of_step(plan.layout, parts, one.told))
            for name in one.defined.keys() & self._sums.keys():
                written[name] = self._sums[name].to_write(one.defined[name], next_watermark)
        self._pending, self.version = pending, self.version + 1
        own = pa.concat_tables([one.told.filter(pc.equal(one.told["kind"], -1)) for one in found])
        self._kept = pc.sum(own["views"]).as_py(), pc.sum(own["wake"]).as_py()
        self.hot.saw([(plan.layout, one.told) for plan, one in zip(self._plans, found, strict=True)])
        return {name: table.drop_columns([CLOSES]) for name, table in written.items() if table.num_rows}

    def held(self) -> dict[str, tuple[int, int]]:
        """What is kept: of additive views rows and bytes in memory; as PARTS, the events of all others, and bytes on disk."""
        return {name: sums.held() for name, sums in self._sums.items()} | {PARTS: self._kept}

    def _generate(self) -> None:
        """Plan the views again, with generated code: once, and after a start only when it will be worth the seconds."""
        chosen = settings().of_stream
        for name, value in GENERATED.items():
            self._session.conf.set(name, chosen.get(name, value))
        self._each(lambda plan, _: plan.made_anew())
        self._is_generated = True

    def _fill(self, piece: pa.Table, watermark: pa.Scalar | None) -> None:
        def step(plan: SharedPlan, _: feeds.Pending) -> None:
            given = feeds.tables(plan.layout, piece, feeds.Pending(), watermark)
            plan.store.fill(given, self.version, watermark)

        self._each(step)
        self.version += 1

    def _each(self, work: Callable[[SharedPlan, feeds.Pending], T]) -> list[T]:
        return list(self._pool.map(work, self._plans, self._pending))


def _hands(session: SparkSession) -> list[list[View]]:
    """The views dealt out to as many plans as can run at once: those of one kind of parts together."""
    alike = [list(kind.views) for kind in kinds(tuple(VIEWS.values()))]
    alike += [[view] for view in VIEWS.values() if isinstance(view.law, Additive)]
    hands: list[list[View]] = [[] for _ in range(min(threads(session), len(alike)))]
    # The dearest first, each to the hand that has least to do: by the inputs that are read.
    for some in sorted(alike, key=_inputs, reverse=True):
        min(hands, key=_inputs).extend(some)
    return hands


def _inputs(views: list[View]) -> int:
    return sum(len(view.inputs) for view in views)


def _said(
    plan: SharedPlan, found: Found, watermark: pa.Scalar | None, next_watermark: pa.Scalar | None
) -> dict[str, Said]:
    layout, answers = plan.layout, {}
    for number, view in enumerate(layout.views):
        mine = pc.and_(
            pc.equal(found.told["kind"], layout.kind_of(view)),
            pc.not_equal(pc.bit_wise_and(found.told["views"], 1 << number), 0),
        )
        touched = found.told.filter(mine)["part"].combine_chunks()
        own = found.defined[view.name], found.before[view.name], touched
        answers[view.name] = said(layout, view, *own, watermark, next_watermark)
    return answers
