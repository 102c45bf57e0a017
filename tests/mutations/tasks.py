"""Mistakes in what tasks write for a driver that holds no rows.

Data flow: infra/lake/task_files, streaming/state, streaming/micro_batch -> Mutation
Run: python -m tests.mutations tasks:
"""

from tests.mutations.mutation import Mutation

FILES, BOTH = "tests/infra/test_task_files.py", "tests/streaming/test_in_tasks.py"
SAME = f"{BOTH}::test_what_tasks_wrote_last_is_the_view_of_all_events"

TASKS = (
    Mutation(
        "tasks: files of a repeated micro-batch are committed again",
        "infra/lake/task_files.py",
        "found, at = list(files), to_append(table, writer, version)",
        "found, at = list(files), arrow_tables.latest(table)",
        f"{FILES}::test_a_commit_has_the_rows_of_all_files_once",
    ),
    Mutation(
        "tasks: the largest time of a file is cut off, so that a reader leaves it out",
        "infra/lake/task_files.py",
        "cut += MILLISECOND if up and cut < value else timedelta(0)",
        "cut += timedelta(0)",
        f"{FILES}::test_statistics_hold_all_values_and_leave_files_out",
    ),
    Mutation(
        "tasks: rows are written that break a table's condition",
        "infra/lake/task_files.py",
        "    if not holds:\n",
        "    if not told:\n",
        f"{FILES}::test_rows_that_break_a_condition_are_not_written",
    ),
    Mutation(
        "tasks: an additive view begins anew with each micro-batch",
        "streaming/state/kept.py",
        'if (rows := found.get(f"{SUMS}{name}")) is not None:',
        'if (rows := found.get(f"{ROWS}{name}")) is not None:',
        SAME,
    ),
    Mutation(
        "tasks: what a step said is never learned",
        "streaming/state/kept.py",
        'if f"{ROWS}{view.name}" in found}',
        'if f"{SUMS}{view.name}" in found}',
        SAME,
    ),
    Mutation(
        "tasks: a record gets the outcome of another one of its task",
        "streaming/micro_batch/in_tasks.py",
        "own[rows[mine]] = codes[mine]",
        "own[rows[mine]] = codes[mine][::-1]",
        "tests/streaming/test_staged.py::test_each_record_gets_its_own_outcome",
    ),
)
