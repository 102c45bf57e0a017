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
)
