"""What the labs say of a log.

Data flow: rows of the labs overload, delivery, acks, queue, compaction, groups and direct -> figures in words
Run: daybreak lab fit
"""

from functools import partial

from infra.lab import compaction_table, delivery_table, groups_table
from infra.lab.acks import table as acks
from infra.lab.acks.setting import Setting
from infra.lab.acks.situation import Situation as Brokers
from infra.lab.compaction import COMPACT, SNAPSHOT, WHOLE
from infra.lab.delivery_consumer import Mode
from infra.lab.direct import situations as direct
from infra.lab.direct.table import OUT_OF_ORDER, P50, P99
from infra.lab.fit.direct import of
from infra.lab.fit.need import Figure, Figures, Need, Rows, pick
from infra.lab.fit.queue import behind, played, speed
from infra.lab.groups import HANGS, ONE_TOO_MANY
from infra.lab.labs import ACKS, COMPACTION, DELIVERY, DIRECT, GROUPS, OVERLOAD
from infra.lab.overload.cases import LOG
from infra.lab.queue.job import Way
from infra.lab.queue.situations import COPIED, Situation
from infra.lab.transports.transport import Transport

WAITING = (Setting.LEADER, Setting.IDEMPOTENT)
"""A producer that waits for the leader, and one that waits for all replicas."""


def _killed(rows: Rows) -> str:
    return "; ".join(
        f"{mode}, killed {pick(rows, delivery_table.KILLS, own)} times: {pick(rows, delivery_table.LOST, own)} lost, "
        f"{pick(rows, delivery_table.DOUBLED, own)} doubled of {pick(rows, delivery_table.RECORDS, own)}"
        for mode in (Mode.AT_LEAST_ONCE, Mode.EXACTLY_ONCE)
        for own in [{delivery_table.CONSUMER: mode}]
    )


def _acks(rows: Rows, brokers: Brokers, setting: Setting, column: str) -> str:
    return pick(rows, column, {acks.SITUATION: brokers, acks.PRODUCER: setting})


def _leader(rows: Rows, brokers: Brokers) -> str:
    each = [f"{_acks(rows, brokers, setting, acks.LOST)} ({setting})" for setting in WAITING]
    return f"{brokers}; acknowledged and lost: {', '.join(each)}"


def _acknowledged(rows: Rows) -> str:
    each = [f"{_acks(rows, Brokers.WELL, setting, acks.P50)} ms ({setting})" for setting in WAITING]
    count, size = (_acks(rows, Brokers.WELL, Setting.IDEMPOTENT, column) for column in (acks.ORDERS, acks.BYTES))
    return f"acknowledged after p50 {', '.join(each)}; {size} bytes on three disks for {count} orders"


def _late(rows: Rows) -> str:
    late = {compaction_table.RECORDS: compaction_table.GONE}
    return f"{pick(rows, compaction_table.READ, late)}: {pick(rows, compaction_table.RESULT, late)}"


def _order(rows: Rows) -> str:
    return f"a consumer was away: {of(rows, direct.Situation.AWAY, Transport.KAFKA, OUT_OF_ORDER)} out of order in a partition"


def _idle(rows: Rows) -> str:
    own = {groups_table.STEP: ONE_TOO_MANY}
    return f"one member more than partitions: {pick(rows, groups_table.READ, own)}"


def _slow(rows: Rows) -> str:
    each = (pick(rows, groups_table.LAG, {groups_table.STEP: HANGS, groups_table.GROUP: name}) for name in "BA")
    return "one member hangs: its group is {} records behind, the other group {}".format(*each)


def _replay(rows: Rows) -> str:
    counts = [
        pick(rows, compaction_table.RECORDS, {compaction_table.READ: what}) for what in (WHOLE, SNAPSHOT, COMPACT)
    ]
    return f"a state is read again from {counts[0]} records of {WHOLE}, {counts[1]} of {SNAPSHOT}, {counts[2]} of {COMPACT}"


def _delay(rows: Rows) -> str:
    p50, p99 = (of(rows, direct.Situation.WELL, Transport.KAFKA, column) for column in (P50, P99))
    return f"{Transport.KAFKA}: p50 {p50} ms, p99 {p99} ms"


FIGURES: Figures = {
    Need.FAST: [Figure(OVERLOAD, lambda rows: behind(rows, LOG))],
    Need.DIES: [
        Figure(DELIVERY, _killed),
        *(Figure(ACKS, partial(_leader, brokers=brokers)) for brokers in (Brokers.KILLED, Brokers.PAUSED)),
    ],
    Need.LATER: [
        played(Situation.LATER, Way.PARTITION, "a new consumer finds ", f" of {COPIED}"),
        Figure(COMPACTION, _late),
    ],
    Need.ORDER: [
        played(Situation.STORY, Way.PARTITION, "consumer 2 dies at m3, and consumer 1 works on "),
        Figure(DIRECT, _order),
    ],
    Need.PARALLEL: [
        Figure(GROUPS, _idle),
        Figure(GROUPS, _slow),
        played(Situation.POISON, Way.PARTITION, "deaths by a message that kills: "),
    ],
    Need.REPLAY: [Figure(COMPACTION, _replay)],
    Need.COST: [Figure(DIRECT, _delay), Figure(ACKS, _acknowledged), speed(Way.PARTITION, "acknowledged by batches")],
}
