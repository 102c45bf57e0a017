"""A sound result of each lab whose figures say what fits, made by the labs' own tables, as the files have them."""

from datetime import UTC, datetime
from pathlib import Path

from acks_outcomes import outcomes
from overload_outcomes import ALL_WELL
from queue_outcomes import SOUND

from infra.lab import compaction_table, delivery_table, groups_table
from infra.lab.acks import table as acks_table
from infra.lab.compaction import COMPACT, SNAPSHOT, WHOLE, Late, Rebuilt
from infra.lab.counts import Counts
from infra.lab.delivery import Delivery
from infra.lab.delivery_consumer import Mode
from infra.lab.direct import table as direct_table
from infra.lab.direct.figures import Figures
from infra.lab.direct.measure import TRANSPORTS
from infra.lab.direct.measure import Outcome as Direct
from infra.lab.direct.situations import Situation
from infra.lab.groups import HANGS, ONE_TOO_MANY, Step
from infra.lab.labs import ACKS, COMPACTION, DELIVERY, DIRECT, GROUPS, OVERLOAD, QUEUE, Lab
from infra.lab.overload import table as overload_table
from infra.lab.queue import table as queue_table
from infra.lab.result import Result, Row, keep

AT = datetime(2026, 1, 31, 12, 34, tzinfo=UTC)
STATE = {"a": "1"}

ROWS: dict[Lab, list[Row]] = {
    DIRECT: direct_table.rows(
        [
            Direct(
                transport,
                situation,
                # A loss of its own for each, so that a figure of another row is seen.
                Figures(500, Counts(1000, 100 * list(Situation).index(situation) + place, 0), place, 0.5 + place, 9.0),
            )
            for situation in Situation
            for place, transport in enumerate(TRANSPORTS)
        ]
    ),
    ACKS: acks_table.rows(outcomes(paused_leader={"lost": 12})),
    QUEUE: queue_table.rows(SOUND),
    OVERLOAD: overload_table.rows(ALL_WELL),
    DELIVERY: delivery_table.rows(
        [
            Delivery(Mode.AT_MOST_ONCE, 20, Counts(1630, 84, 0), rolled_back=0),
            Delivery(Mode.AT_LEAST_ONCE, 20, Counts(1630, 0, 55), rolled_back=0),
            Delivery(Mode.EXACTLY_ONCE, 20, Counts(1630, 0, 0), rolled_back=65),
        ]
    ),
    GROUPS: groups_table.rows(
        [
            Step(ONE_TOO_MANY, "A", {"a2": {0: 100}, "a3": {1: 100}, "a4": {}}, doubled=0, lost=0, lag=0),
            Step(HANGS, "A", {"a2": {0: 100}}, doubled=0, lost=0, lag=0),
            Step(HANGS, "B", {"b1": {0: 30}}, doubled=0, lost=0, lag=170),
        ]
    ),
    COMPACTION: compaction_table.rows(
        [Rebuilt(WHOLE, 2000, 190, STATE), Rebuilt(SNAPSHOT, 1045, 95, STATE), Rebuilt(COMPACT, 50, 4, STATE)],
        Late(0, "_AUTO_OFFSET_RESET", 1000),
    ),
}


def keep_all(home: Path) -> None:
    """Write the file of each."""
    for lab, rows in ROWS.items():
        keep(home, lab, Result(lab.name, AT, rows, "", "", []))
