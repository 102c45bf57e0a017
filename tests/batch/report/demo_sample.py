"""What `make demo` leaves: two past days that were sent in one go, a minute of live traffic, a night for each.

Data flow: seed -> Sources of a lake that is an hour old
Run: python tests/batch/report/demo_sample.py page.html
"""

import random
import sys
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
from sample import DAY, OF_EVENT, PROGRESS, STAMP, START, VIEWS, WATERMARK, sample

from batch.report.sources import Sources

SENT = START + timedelta(days=1, hours=10, minutes=3)
"""When the shop began to send; a past day takes it SENDING, and the stream reads all of them in DRAINING."""
SENDING = timedelta(seconds=4)
DRAINING = timedelta(seconds=66)
TRIGGER = timedelta(seconds=3)
A_DAY = 6_000
"""Events."""


def demo_sample(seed: int = 7) -> Sources:
    """Of the last of the two days."""
    of, dice = sample(seed), random.Random(seed)
    first = DAY - timedelta(days=1)

    def young(rows: tuple[Any, ...]) -> tuple[Any, ...]:
        return tuple(row for row in rows if row["day"] >= first)

    def settled(row: dict[str, Any]) -> dict[str, Any]:
        at = SENT + timedelta(minutes=4 + (row["day"] - first).days)
        return {"day": row["day"], "revision": 1, "run": f"{row['day']}-5f0c2a1b", "settled_at": at}

    built = [SENT + timedelta(minutes=minute) for minute in (5, 6, 7)]
    batches = tuple(_batches())
    return replace(
        of,
        summary=young(of.summary),
        curve=young(of.curve),
        settlements=tuple(settled(row) for row in young(of.summary) if row["view"] == "totals" and row["measure"] == "sales"),
        corrections=young(of.corrections),
        conservation=tuple(
            row | {"gaps": 0, "unread": 0, "silver": row["silver"] + row["gaps"] + row["unread"]}
            for row in of.conservation[::2]
        ),
        gaps=(),
        events=pa.Table.from_pylist(list(_events(dice)), OF_EVENT),
        progress=pa.Table.from_pylist(list(batches), PROGRESS),
        builds=pa.Table.from_pylist(
            [{"started_at": at, "built_at": at + timedelta(seconds=12)} for at in built],
            pa.schema([("started_at", STAMP), ("built_at", STAMP)]),
        ),
    )  # fmt: skip


def _events(dice: random.Random) -> Iterator[dict[str, Any]]:
    """The last day's: sent after the two before it, and read in the order in which they were sent."""
    triggers = DRAINING // TRIGGER
    for n in range(A_DAY):
        sent = SENT + 2 * SENDING + SENDING * n / A_DAY
        late = dice.random() < 0.02
        yield {
            "event_time": START + timedelta(days=1) * n / A_DAY - timedelta(seconds=dice.uniform(0, 0.4)) * (n > 0),
            "arrival": sent,
            "generation": "a",
            # A third of what there is to read came before.
            "batch_id": 4 + triggers * (2 * A_DAY + n) // (3 * A_DAY),
            "late_by_ms": dice.randint(1, 9_000_000) if late else 0,
        }


def _batches() -> Iterator[dict[str, Any]]:
    """Every TRIGGER one while the stream catches up, then one a second for live events."""
    number, done = 0, SENT - timedelta(seconds=20)
    while done < SENT + DRAINING + timedelta(seconds=60):
        is_live = done > SENT + DRAINING
        done += timedelta(seconds=1) if is_live else TRIGGER if done > SENT else timedelta(seconds=6)
        read = START + timedelta(days=1) if not is_live else done
        yield _batch(number, done, read)
        number += 1


def _batch(number: int, done: datetime, read: datetime) -> dict[str, Any]:
    shown = {"bronze/events": 0.31, "silver/events": 0.27} | {f"speed/{view}": 0.1 for view in VIEWS}
    if number % 2:
        # A micro-batch may have nothing to say of a view.
        shown.pop("speed/payments") if number > 40 else None
    return {
        "query": "ingest",
        "generation": "a",
        "batch_id": number,
        "committed_at": done,
        "watermark": read - timedelta(seconds=WATERMARK),
        "max_event_time": read,
        "visible": [(table, done - timedelta(seconds=before)) for table, before in shown.items()],
    }


if __name__ == "__main__":
    from batch.report.figures import figures
    from batch.report.page import page

    Path(sys.argv[1]).write_text(page(figures(demo_sample()), "http://127.0.0.1:21006"))
