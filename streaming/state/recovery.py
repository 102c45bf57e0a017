"""Where the stores lie, and which of their versions belongs to which micro-batch: so that a restart reads them and not history.

Data flow: `<checkpoints>/state.json` -> the stores' folder and version; where they cannot be read, silver, speed -> stores anew
Run: pytest tests/streaming/test_history.py

Each micro-batch is one step of the stores. So a version is a micro-batch's number and a constant, which is written once.
"""

import hashlib
import json
import uuid
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from infra.lake import arrow_tables
from infra.lake.tables import Table
from infra.settings import settings
from streaming.positions.checkpoint import Checkpoints
from streaming.positions.watermark import arrow_time, moment
from streaming.state.in_tasks import InTasks
from streaming.state.open_rows import closing, open_rows, stored
from streaming.state.prepared_plan import standing_session
from streaming.state.restore import on_time_since
from streaming.state.update_views import Keeping
from streaming.state.view_state import CLOSES
from streaming.views import VIEWS
from streaming.views.law import Additive

FILE = "state.json"
FOLDER = "state"
Tell = Callable[[str], None]


class Recovery:
    """The views' state of one generation, as it was left, or made anew."""

    def __init__(
        self,
        session: SparkSession,
        checkpoints: Checkpoints,
        generation: str,
        definitions: Mapping[str, str],
        speed: Mapping[str, Table],
    ) -> None:
        self._session, self._checkpoints, self._generation = session, checkpoints, generation
        self._speed = speed
        left = json.loads(checkpoints.read(FILE) or "{}")
        self._left: dict[str, Any] = left if left.get("generation") == generation else {}
        self._folder = self._left.get("folder") or uuid.uuid4().hex
        self.views = self._made()
        """The state of every view."""
        self._digest = hashlib.sha256(json.dumps([self.views.layout, dict(definitions)]).encode()).hexdigest()

    def begin(self, batch_id: int, watermark_ms: int | None, tell: Tell) -> Mapping[str, pa.Table]:
        """Bring the state to where it was before micro-batch `batch_id`; returns the open rows of additive views and of alerts.

        `watermark_ms` is None before the first event. `tell` hears what is read.
        """
        if watermark_ms is None:
            self._anew(batch_id)
            return {}
        # The stores are read while the tables are.
        with ThreadPoolExecutor(1, "look") as pool:
            looked = pool.submit(self.views.look) if self._is_left(batch_id) else None
            rows = self._open_rows(watermark_ms, batch_id, tell, _few())
            if looked and self._resumed(batch_id, rows, looked, tell):
                return rows
        self._anew(batch_id)
        rows = self._open_rows(watermark_ms, batch_id, tell, tuple(VIEWS))
        tell("the events that open rows may need")
        events = on_time_since(watermark_ms, self._generation, batch_id)
        self.views.fill(events, rows, arrow_time(moment(watermark_ms)))
        self._write(batch_id - self.views.version)
        return rows

    def _is_left(self, batch_id: int) -> bool:
        """Are there stores of this very code? Then the views are told their version before the micro-batch."""
        version = batch_id - int(self._left.get("before", batch_id))
        if self._left.get("digest") != self._digest or version <= 0:
            return False
        self.views.version = version
        return True

    def _resumed(self, batch_id: int, rows: Mapping[str, pa.Table], looked: "Future[None]", tell: Tell) -> bool:
        """Could the stores be read as they were before the micro-batch?"""
        tell("the state of parts")
        opened, ended = self._said_last(batch_id - 1)
        try:
            looked.result()
        except (Py4JJavaError, PySparkException) as gone:
            tell(f"the state of parts anew, since it cannot be read: {str(gone).splitlines()[0]}")
            return False
        self.views.resume(self.views.version, {**opened, **rows}, ended)
        return True

    def _said_last(self, batch_id: int) -> tuple[dict[str, pa.Table], dict[str, pa.Table]]:
        """Per view by parts, the rows that a micro-batch said: those that were open then, and those that were no more."""
        own, opened, ended = standing_session(self._session), {}, {}
        where = (pc.field("generation") == self._generation) & (pc.field("batch_id") == batch_id)
        for name, view in VIEWS.items():
            if isinstance(view.law, Additive):
                continue
            rows = arrow_tables.read(self._speed[name], stored(view).fieldNames(), where)
            is_over = pc.or_(rows["is_final"], rows["is_removed"])
            opened[name] = closing(own, view, rows.filter(pc.invert(is_over)))
            over = rows.filter(is_over)
            # When they closed nobody asks any more.
            ended[name] = over.append_column(CLOSES, pa.nulls(over.num_rows, pa.timestamp("us", "UTC")))
        return opened, ended

    def _anew(self, batch_id: int) -> None:
        if self._left:
            self._checkpoints.drop(FOLDER)
            self._folder = uuid.uuid4().hex
            self.views = self._made()
        self._left = {}
        self._write(batch_id)

    def _write(self, before: int) -> None:
        """`before`: the number of the micro-batch after which the stores had taken no step."""
        left = {"folder": self._folder, "generation": self._generation, "digest": self._digest, "before": before}
        self._checkpoints.write(FILE, json.dumps(left))

    def _open_rows(self, watermark_ms: int, batch_id: int, tell: Tell, views: tuple[str, ...]) -> dict[str, pa.Table]:
        return open_rows(self._session, self._speed, watermark_ms, self._generation, batch_id, tell, views)

    def _made(self) -> Keeping | InTasks:
        folder = self._checkpoints.of(f"{FOLDER}/{self._folder}")
        if settings().keeps_rows_in_tasks:
            return InTasks(self._session, folder, self._speed)
        return Keeping(self._session, folder)


def _few() -> tuple[str, ...]:
    """The views whose open rows are in memory: additive ones, and alerts."""
    return tuple(name for name, view in VIEWS.items() if isinstance(view.law, Additive) or view.alerts)
