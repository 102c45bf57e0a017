"""Captured rows that are known to be wrong: a change of theirs was rejected, so every copy of the row lacks it.

Data flow: a micro-batch's changes and their outcomes -> a problem per key, kept until a later change of the key is accepted
Run: daybreak status --problems

The problems are in the file where all problems are kept, so they outlive the stream. A comparison of copies ends those of a
table whose copy it has found equal.
"""

from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from fcntl import LOCK_EX, flock
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from infra.problems import Problem, keep, mended, of_source
from infra.settings import Settings
from streaming.contracts.captured import Captured
from streaming.reasons import Outcome, Reason

SOURCE = "captured-rows"
NAMED = 500
"""Most rows that have a problem of their own; further ones of a topic share one."""
KEY_LENGTH = 200
UNAVAILABLE = Reason.UNAVAILABLE_VALUE.value


def told(s: Settings, records: pa.Table, outcome: pa.Array, captured: Mapping[str, Captured]) -> None:
    """A micro-batch was judged: its records (topic, partition, offset, key, reasons) in the order of their arrival, and the
    outcome of each; `captured`: the topics of captured tables. The last one of a key counts; one that is repeated says nothing
    new."""
    if not captured:
        return
    judged = records.select(["topic", "partition", "offset", "key", "reasons"]).append_column("outcome", outcome)
    is_new = pc.is_in(judged["outcome"], value_set=pa.array([Outcome.ACCEPTED.value, Outcome.REJECTED.value]))
    own = judged.filter(pc.and_(is_new, pc.is_in(judged["topic"], value_set=pa.array([*captured], pa.string()))))
    if not own.num_rows or not (known(s) or pc.any(pc.equal(own["outcome"], Outcome.REJECTED.value)).as_py()):
        return
    with _alone(s):
        before = known(s)
        found = dict(before)
        for row in own.to_pylist():
            name = _name(row["topic"], row["key"])
            if row["outcome"] == Outcome.ACCEPTED.value:
                found.pop(name, None)
            elif name in found or len(found) < NAMED:
                found[name] = _problem(name, row, captured[row["topic"]])
            else:
                others = _others(row["topic"], found, captured[row["topic"]])
                found[others.id] = others
        if found != before:
            keep(s, SOURCE, found.values())


def seen_right(s: Settings, before: Mapping[str, Problem], topics: Collection[str]) -> None:
    """The copies of these topics were compared and are equal: what was known before of their rows is mended, unless it was told
    again since."""
    others, own = [_name_of_others(topic) for topic in topics], tuple(map(_place, topics))
    with _alone(s):
        right = [name for name in before if name in others or name.startswith(own)]
        now = known(s)
        mended(s, SOURCE, [name for name in right if now.get(name) == before[name]])


def known(s: Settings) -> dict[str, Problem]:
    """What is known now, by id."""
    return {one.id: one for one in of_source(s, SOURCE)}


@contextmanager
def _alone(s: Settings) -> Iterator[None]:
    """Stream and check change what is known; one at a time."""
    folder = s.home / "problems"
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / f"{SOURCE}.lock").open("w") as lock:
        flock(lock, LOCK_EX)
        yield


def _name_of_others(topic: str) -> str:
    return f"captured.rows/{topic}"


def _place(topic: str) -> str:
    return f"captured.row/{topic}/"


def _name(topic: str, key: bytes | None) -> str:
    return _place(topic) + ("without a key" if key is None else key.decode(errors="replace")[:KEY_LENGTH])


def _problem(name: str, row: Mapping[str, Any], of: Captured) -> Problem:
    """Of a rejected change."""
    topic, where = row["topic"], f"{row['topic']}-{row['partition']}@{row['offset']}"
    key, reasons = name.removeprefix(_place(topic)), ", ".join(row["reasons"])
    first = "let the row keep its contract, or the contract allow the row"
    if UNAVAILABLE in row["reasons"]:
        first = f"ALTER TABLE {topic.partition('.')[2]} REPLICA IDENTITY FULL"
    what = f"{topic}: every copy of the row {key} is wrong, its change at {where} was rejected ({reasons})"
    return Problem(name, what, f"{first}; then: {of.again}", 1, (where,))


def _others(topic: str, found: Mapping[str, Problem], of: Captured) -> Problem:
    name = _name_of_others(topic)
    number = (found[name].count or 0) + 1 if name in found else 1
    what = f"{topic}: {number:,} changes of further rows were rejected, and every copy of these is wrong"
    return Problem(name, what, ", then: ".join(one for one in (of.again, of.check) if one), number)
