"""Mistakes about writers that stood still: their lease is not asked for, or the log knows nothing of it.

Data flow: infra/lake/lease.py, infra/lake/writes.py -> Mutation
Run: python -m tests.mutations fenced
"""

from tests.mutations.mutation import Mutation

LEASE = "tests/infra/test_lease.py"

FENCED = (
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
