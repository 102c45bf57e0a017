"""What the labs say of their figures, and when they say that a promise was broken."""

from dataclasses import replace

from infra.lab import compaction_table, delivery_table, groups_table
from infra.lab.compaction import Late, Rebuilt
from infra.lab.counts import Counts
from infra.lab.delivery import Delivery
from infra.lab.delivery_consumer import Mode
from infra.lab.groups import Step

DELIVERED = [
    Delivery(Mode.AT_MOST_ONCE, 20, Counts(sent=1630, lost=84, doubled=0), rolled_back=0),
    Delivery(Mode.AT_LEAST_ONCE, 20, Counts(sent=1630, lost=0, doubled=55), rolled_back=0),
    Delivery(Mode.EXACTLY_ONCE, 20, Counts(sent=1630, lost=0, doubled=0), rolled_back=65),
]
SHARED = Step("both read", "A", {"a1": {0: 100}, "a2": {1: 100}}, doubled=0, lost=0, lag=0)
DEAD = Step("a1 is killed", "A", {"a1": {0: 22}, "a2": {0: 80}}, 2, 0, 0, committed={0: 120}, went_on={0: 120})
STEPS = [
    SHARED,
    Step("both read", "B", {"b1": {0: 100, 1: 100}}, doubled=0, lost=0, lag=0),
    DEAD,
    Step("b1 hangs", "A", {"a2": {0: 100}, "a4": {}}, doubled=0, lost=0, lag=0),
    Step("b1 hangs", "B", {"b1": {0: 30}}, doubled=0, lost=0, lag=170),
]


def test_the_delivery_lab_says_what_each_mode_lost_and_doubled() -> None:
    assert delivery_table.shows(DELIVERED) == (
        "Of 1,630 records, read by consumers that were killed 20 times each, at-most-once lost 84 and doubled none, "
        "at-least-once lost none and doubled 55, exactly-once lost none and doubled none."
    )
    assert delivery_table.broken(DELIVERED) == []


def test_each_mode_is_held_to_what_it_promises() -> None:
    all_wrong = [replace(one, counts=Counts(sent=1630, lost=3, doubled=4)) for one in DELIVERED]
    assert delivery_table.broken(all_wrong) == [
        "at-most-once doubled 4 records, and must never do so",
        "at-least-once lost 3 records, and must never do so",
        "exactly-once lost 3 records, and must never do so",
        "exactly-once doubled 4 records, and must never do so",
    ]


def test_the_groups_lab_says_who_read_who_was_idle_and_who_waited() -> None:
    assert groups_table.shows(STEPS) == (
        "Group A read 200 and group B read 200 records of the same log; successors went on at the committed "
        "offsets, read 2 records again and lost none; a4 stayed idle; and when a member hung, group A fell no records "
        "behind and group B fell 170 records behind."
    )
    assert groups_table.broken(STEPS) == []


def test_a_row_names_each_member_with_its_partitions() -> None:
    (dead, hung) = groups_table.rows([DEAD, STEPS[3]])
    assert dead["records read"] == "a1: 22 of p0; a2: 80 of p0"
    assert (dead["committed"], dead["went on at"]) == ("p0: 120", "p0: 120")
    assert hung["records read"] == "a2: 100 of p0; a4: none, idle"


def test_a_lost_record_or_a_wrong_start_breaks_a_promise() -> None:
    assert groups_table.broken([replace(SHARED, lost=3)]) == ["group A lost 3 records in the step 'both read'"]
    assert groups_table.broken([replace(DEAD, went_on={0: 122})]) == [
        "in the step 'a1 is killed' group A went on at p0: 122, and had committed p0: 120"
    ]


STATE = {"a": "1", "b": "2"}
REBUILT = [
    Rebuilt("the whole log", 2000, 190, STATE),
    Rebuilt("a snapshot and the log behind it", 1045, 95, STATE),
    Rebuilt("the compacted topic", 50, 4, STATE),
]
LATE = Late(0, "_AUTO_OFFSET_RESET", 1000)


def test_the_compaction_lab_says_what_each_log_needs_for_the_state() -> None:
    assert compaction_table.shows(REBUILT, LATE) == (
        "The state of 2 keys is in 2,000 records of the whole log, and in 1,045 records of a snapshot and the log behind it "
        "and 50 records of the compacted topic: all give the same; a consumer that came after retention was told "
        "_AUTO_OFFSET_RESET, and missed 1,000."
    )
    assert compaction_table.broken(REBUILT, LATE) == []
    *_, told = compaction_table.rows(REBUILT, LATE)
    assert told["result"] == "_AUTO_OFFSET_RESET: 1,000 records are gone, the first left is 1,000"


def test_a_state_that_differs_and_a_silent_gap_break_a_promise() -> None:
    wrong = [*REBUILT[:2], replace(REBUILT[2], state={"a": "1"})]
    assert compaction_table.broken(wrong, replace(LATE, said="nothing: it reads on at 1000")) == [
        "the compacted topic gives another state than the whole log",
        "a consumer was not told that its offset is gone",
    ]
    assert [row["result"] for row in compaction_table.rows(wrong, LATE)][:3] == [
        "the same state",
        "the same state",
        "another state",
    ]
