"""Mistakes in what is kept, and for how long.

Data flow: infra/lake/upkeep -> Mutation
Run: python -m tests.mutations upkeep
"""

from tests.mutations.mutation import Mutation

UPKEEP = "tests/infra/test_upkeep.py"

KEPT = (
    Mutation(
        "upkeep: a day too many is forgotten",
        "infra/lake/upkeep.py",
        "- timedelta(days=days)\n",
        "- timedelta(days=days - 1)\n",
        f"{UPKEEP}::test_rows_older_than_the_days_go_and_the_others_stay",
    ),
    Mutation(
        "upkeep: a silent stream forgets how far it had come",
        "infra/lake/upkeep.py",
        "bound = min(first_kept, max(newest for _, newest in ages))",
        "bound = first_kept",
        f"{UPKEEP}::test_the_newest_rows_stay_whatever_their_age",
    ),
    Mutation(
        "upkeep: one compaction takes all there is",
        "infra/lake/upkeep.py",
        "spent + sum(sizes) > AT_ONCE",
        "spent > sum(sizes) + AT_ONCE",
        f"{UPKEEP}::test_one_compaction_rewrites_so_many_bytes_at_most",
    ),
)
