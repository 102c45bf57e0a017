"""Mistakes in a plan: what the code does not change is told as its change, and what it does is not.

Data flow: batch/plan -> Mutation
Run: python -m tests.mutations batch/plan
"""

from tests.mutations.mutation import Mutation

VERSIONS, RECORDS = "tests/batch/test_plan.py", "tests/batch/test_plan_numbers.py"

PLANNED = (
    Mutation(
        "daybreak plan: what came after the settlement is a change of the code",
        "batch/plan/numbers.py",
        ".where(_had(settlement))",
        "",
        f"{RECORDS}::test_only_what_the_code_changes_of_the_day_is_told",
    ),
    Mutation(
        "daybreak plan: a conflict in quarantine is one that the code accepts now",
        "batch/plan/tried.py",
        "reasons != [Reason.CONFLICT.value]",
        "bool(reasons)",
        f"{RECORDS}::test_a_contract_is_tried_on_records_that_were_accepted_and_refused",
    ),
    Mutation(
        "daybreak plan: a contract that learns a version has changed",
        "batch/plan/changes.py",
        "own[topic].get(name) != version for name, version in was[topic].items()",
        "was[topic].get(name) != version for name, version in own[topic].items()",
        f"{VERSIONS}::test_what_is_new_changed_and_gone_is_told_with_what_changed_it",
    ),
    Mutation(
        "daybreak plan: a day that waited for a person took that long",
        "batch/plan/days.py",
        "LONGEST = timedelta(hours=2)",
        "LONGEST = timedelta(days=2)",
        f"{VERSIONS}::test_what_days_took_leaves_out_what_waited",
    ),
)
