"""Mistakes about writers that stood still, whose lease nobody asks for or the log does not know, and about clocks that are set.

Data flow: infra/lake/lease.py, infra/lake/writes.py, streaming/positions/clocks.py -> Mutation
Run: python -m tests.mutations fenced
"""

from tests.mutations.mutation import Mutation

LEASE = "tests/infra/test_lease.py"

FENCED = (
    Mutation(
        "lease: who waited while another lake was promoted writes the old one",
        "infra/lake/lease.py",
        "in_force.refuse_other(settings().home, settings().bucket)",
        "in_force.refuse_other(settings().home / 'try', settings().bucket)",
        f"{LEASE}::test_who_waited_while_another_lake_was_promoted_writes_nothing",
    ),
    Mutation(
        "clocks: a clock that is set back makes a later micro-batch earlier",
        "streaming/positions/clocks.py",
        "max(planned, last + TICK) if last else planned",
        "planned",
        "tests/streaming/test_clocks.py::test_a_later_micro_batch_is_later_whatever_the_clock_says",
    ),
    Mutation(
        "clocks: a repeated micro-batch gets a time of its own",
        "streaming/positions/clocks.py",
        'pc.field("batch_id") >= batch_id',
        'pc.field("batch_id") > batch_id',
        "tests/streaming/test_clocks.py::test_a_later_micro_batch_is_later_whatever_the_clock_says",
    ),
    Mutation(
        "clocks: nobody notices one that is set back",
        "streaming/positions/clocks.py",
        "before - self._offset >= BACK_SECONDS",
        "self._offset - before >= BACK_SECONDS",
        "tests/streaming/test_clocks.py::test_a_clock_that_is_set_back_is_noticed_once",
    ),
    Mutation(
        "fenced: a writer that wakes without its lease is not asked for it",
        "infra/lake/lease.py",
        "    for one in list(_held):\n        one.check()\n",
        "",
        f"{LEASE}::test_who_wakes_without_its_lease_writes_nothing",
    ),
    Mutation(
        "fenced: commits do not carry the lease",
        "infra/lake/writes.py",
        'Transaction(f"lease {name}", 1) for name in still_held()',
        'Transaction(f"lease {name}", 1) for name in still_held()[:0]',
        f"{LEASE}::test_the_log_refuses_who_stood_still_just_before_its_commit",
    ),
    Mutation(
        "fenced: a server waits two hours for a holder whose machine is gone",
        "infra/lake/lease.py",
        "                self._connection.execute(SET, (str(value), name))\n",
        "                pass\n",
        f"{LEASE}::test_a_holder_whose_machine_is_gone_loses_its_lease_in_time",
    ),
)
