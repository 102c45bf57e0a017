"""The groups lab: how consumer groups share a log, what a death costs, and whom a hanging consumer delays.

Data flow: records in a lab topic -> two consumer groups of real processes -> reads, offsets and lag, step by step
Run: daybreak lab groups

Group A begins with two members, group B with one. a1 is killed in the middle of its partition, and a2 takes over. Then a3
and a4 join, one more than there are partitions. Last, b1 hangs: it polls no more, and b2 takes over.
"""

import random
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field

from infra.kafka import client
from infra.lab.group_member import COMMIT_EVERY, End
from infra.lab.members import Group
from infra.lab.reads import Offsets, counted, goes_on_at, lag, per_member
from infra.lab.topics import fill, topics
from infra.settings import Settings

PARTITIONS = 2
SENT = 100
"""Records per partition that are sent in a step."""


ONE_TOO_MANY, HANGS = "a3 and a4 join: one too many", "b1 hangs"
"""Steps that others look for."""


@dataclass(frozen=True)
class Step:
    """What one group did in one step.

    `members` are the records read, per member and partition; an idle member has none. `doubled` and `lost` are counted over
    the records up to the committed offsets, `lag` over those behind. If a member took over, it went on at `went_on`
    where the group had `committed`, per partition.
    """

    what: str
    group: str
    members: dict[str, dict[int, int]]
    doubled: int
    lost: int
    lag: int
    committed: Offsets = field(default_factory=dict)
    went_on: Offsets = field(default_factory=dict)


class Book:
    """Turns what a group does into steps: each is about the time since the last one."""

    def __init__(self, group: Group) -> None:
        self._group = group
        self._seen = self._doubled = self._lost = 0

    def step(self, what: str, sent: int, members: Sequence[str], over: tuple[str, Offsets] | None = None) -> Step:
        """The step that ends now, after `sent` records per partition in all; `over` is (who is gone, its offsets)."""
        group = self._group
        committed, reads = group.committed(), group.reads[self._seen :]
        counts = counted(group.reads, committed)
        done = Step(
            what,
            group.name,
            {name: {} for name in members} | per_member(reads),
            counts.doubled - self._doubled,
            counts.lost - self._lost,
            lag(dict.fromkeys(range(PARTITIONS), sent), committed),
            over[1] if over else {},
            goes_on_at(reads, over[0], list(over[1])) if over else {},
        )
        self._seen, self._doubled, self._lost = len(group.reads), counts.doubled, counts.lost
        return done


def measure(s: Settings, seed: int) -> list[Step]:
    """Run the steps. Raises TransientFailure if Kafka or a member fails, or if a step does not come to its end."""
    chance = random.Random(seed)
    # Neither is a multiple of COMMIT_EVERY: the records read since the last commit will be read again.
    dies, hangs = (COMMIT_EVERY * chance.randint(1, 7) + chance.randint(1, COMMIT_EVERY - 1) for _ in range(2))
    with client.answers(), ExitStack() as stack:
        (topic,) = stack.enter_context(topics("groups", ["input"], PARTITIONS, s.kafka_replication))
        a, b = (stack.enter_context(Group(name, topic, PARTITIONS)) for name in ("A", "B"))
        books = Book(a), Book(b)
        a.start("a1", End.DIE, SENT + dies)
        a.start("a2")
        b.start("b1", End.HANG, 3 * SENT * PARTITIONS + hangs)
        shares = a.shared()
        b.shared()

        _send(topic, 1, a, b)
        steps = [book.step("both groups read; a1 and a2 share", SENT, ()) for book in books]

        fill(topic, [str(number) for number in range(SENT * PARTITIONS)], PARTITIONS)
        a.dead("a1")
        own = {number: offset for number, offset in a.committed().items() if number in shares["a1"]}
        _read(2, a, b)
        steps.append(books[0].step("a1 is killed; a2 takes over", 2 * SENT, ("a1", "a2"), ("a1", own)))

        for name in ("a3", "a4"):
            a.start(name)
        shares = a.shared()
        _send(topic, 3, a, b)
        steps.append(books[0].step(ONE_TOO_MANY, 3 * SENT, list(shares)))
        # B has read on all the while; its next step begins here.
        books[1].step("the same for B", 3 * SENT, ())

        fill(topic, [str(number) for number in range(SENT * PARTITIONS)], PARTITIONS)
        b.until("b1 hangs", lambda: "b1" in b.hanging)
        _read(4, a)
        steps += [book.step(HANGS, 4 * SENT, names) for book, names in zip(books, (list(shares), ()), strict=True)]

        own = b.committed()
        b.start("b2")
        _read(4, b)
        steps.append(books[1].step("b2 takes over", 4 * SENT, (), ("b1", own)))
        return steps


def _send(topic: str, times: int, *groups: Group) -> None:
    fill(topic, [str(number) for number in range(SENT * PARTITIONS)], PARTITIONS)
    _read(times, *groups)


def _read(times: int, *groups: Group) -> None:
    """Wait until the groups have committed all that was sent in `times` sends."""
    ends = dict.fromkeys(range(PARTITIONS), times * SENT)
    for group in groups:
        group.has_committed(ends)
