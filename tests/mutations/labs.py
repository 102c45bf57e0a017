"""Mistakes of the labs: a step out of order, a wrong count, a broken promise that nobody hears of.

Data flow: infra/lab -> Mutation
Run: python -m tests.mutations lab
"""

from tests.mutations.mutation import Mutation

COUNTS, TABLES = "tests/infra/lab/test_counts.py", "tests/infra/lab/test_tables.py"

LABS = (
    Mutation(
        "lab: at-least-once commits before it has written",
        "infra/lab/delivery_consumer.py",
        "            case Mode.AT_LEAST_ONCE:\n                self._write(batch)\n",
        "            case Mode.AT_LEAST_ONCE:\n"
        "                self._consumer.commit(offsets=offsets, asynchronous=False)\n"
        "                self._write(batch)\n",
        "tests/infra/lab/test_delivery_consumer.py::test_it_dies_in_its_second_batch_where_it_is_told_to",
    ),
    Mutation(
        "lab: a record found twice is not doubled",
        "infra/lab/counts.py",
        "times[one] > 1",
        "times[one] > 2",
        f"{COUNTS}::test_lost_is_never_found_and_doubled_is_found_again",
    ),
    Mutation(
        "lab: a successor goes on where the dead member had begun",
        "infra/lab/reads.py",
        "if read.member != dead and read.partition in partitions:",
        "if read.partition in partitions:",
        f"{COUNTS}::test_a_successor_reads_again_what_was_not_committed",
    ),
    Mutation(
        "lab: at-most-once may double a record",
        "infra/lab/delivery_table.py",
        'Mode.AT_MOST_ONCE: ("doubled",),',
        "Mode.AT_MOST_ONCE: (),",
        f"{TABLES}::test_each_mode_is_held_to_what_it_promises",
    ),
    Mutation(
        "lab: a delay counts although the follower did not look",
        "infra/lab/polling_table.py",
        "if change in one.seen and not one.was_absent(scene, change)]",
        "if change in one.seen]",
        "tests/infra/lab/test_polling.py::test_a_delay_counts_only_where_the_followers_looked",
    ),
    Mutation(
        "lab: a notification that a listener did not hear breaks nothing",
        "infra/lab/polling_table.py",
        "for change in told.missed(scene) if not told.was_absent(scene, change)]",
        "for change in told.missed(scene) if False]",
        "tests/infra/lab/test_polling.py::test_capture_must_see_all_and_notifications_what_was_listened_for",
    ),
    Mutation(
        "lab: a captured copy that differs breaks nothing",
        "infra/lab/dual_writes_table.py",
        "        if not one.is_equal\n",
        "        if one.is_equal and not one.is_equal\n",
        "tests/infra/lab/test_dual_writes.py::test_only_what_was_captured_must_be_equal",
    ),
)
