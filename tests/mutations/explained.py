"""Mistakes in the story of a number: events that are not its own, approvals of another night, steps out of their time.

Data flow: batch/explain, batch/report/drilldown -> Mutation
Run: python -m tests.mutations explain
"""

from tests.mutations.mutation import Mutation

STEPS, NEEDED = "tests/batch/explain/test_steps.py", "tests/batch/explain/test_needed.py"

EXPLAINED = (
    Mutation(
        "explain: an event at a window's end is one of its own",
        "batch/explain/needed.py",
        "(at < end if is_open else at <= end)",
        "(at <= end)",
        f"{NEEDED}::test_the_time_of_an_event_decides_at_the_edges",
    ),
    Mutation(
        "explain: all events of the time are told of a part",
        "batch/explain/needed.py",
        "names = [view.law.column]",
        "names = []",
        f"{STEPS}::test_of_a_part_all_events_are_told_each_where_it_counted",
    ),
    Mutation(
        "explain: a late event is behind an answer of the stream",
        "batch/explain/events.py",
        "is_counted = not one.late_by_ms or ",
        "is_counted = True or ",
        f"{STEPS}::test_of_a_sum_only_the_events_that_made_the_difference_are_told",
    ),
    Mutation(
        "explain: an event is behind the corrections of all nights",
        "batch/explain/steps.py",
        "one.revision == revision and ",
        "",
        f"{STEPS}::test_of_a_sum_only_the_events_that_made_the_difference_are_told",
    ),
    Mutation(
        "explain: who approved another night's figures approved these",
        "batch/explain/steps.py",
        'if decision["run"] == run and (',
        "if (",
        f"{STEPS}::test_the_answers_of_a_minute_stand_in_the_order_of_time",
    ),
    Mutation(
        "explain: a quote in a key ends it",
        "batch/report/drilldown.py",
        "quoted(QUOTE_IN_QUOTES)",
        'quoted("\'")',
        "tests/batch/report/test_page.py::test_a_row_that_differs_has_the_command_that_explains_it",
    ),
)
