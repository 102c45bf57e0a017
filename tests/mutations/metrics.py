"""Mistakes in what Prometheus and log collectors are told: parts that vanish, labels that follow the data, lines without an id.

Data flow: batch/status/metrics, infra/metrics, streaming/monitor/metrics, infra/logs -> Mutation
Run: python -m tests.mutations metrics
"""

from tests.mutations.mutation import Mutation

NUMBERS, COMMAND, RULES = (f"tests/batch/metrics/test_{name}.py" for name in ("metrics", "command", "rules"))
LOGS = "tests/infra/test_logs.py"

METRICS = (
    Mutation(
        "metrics: a part that fails half-way is printed by half",
        "batch/status/metrics.py",
        "families += list(part(s))",
        "families += part(s)",
        f"{NUMBERS}::test_a_part_that_fails_is_told_and_leaves_the_others",
    ),
    Mutation(
        "metrics: services of a platform that is down are asked",
        "batch/status/metrics.py",
        "if not is_up(s, found):",
        "if not is_up(s, found) and not found:",
        f"{NUMBERS}::test_of_a_platform_that_is_down_no_service_is_asked",
    ),
    Mutation(
        "metrics: a night that runs hides the last one",
        "batch/status/metrics.py",
        "next((run for run in runs if run.has_ended), None)",
        "next(iter(runs), None)",
        f"{NUMBERS}::test_the_last_night_is_the_newest_that_has_ended",
    ),
    Mutation(
        "metrics: a problem's id is a label",
        "infra/metrics/programs.py",
        'one.id.partition("/")[0]',
        "one.id",
        f"{NUMBERS}::test_a_label_is_a_kind_and_never_what_has_the_problem",
    ),
    Mutation(
        "metrics: a topic has the age of its best partition",
        "streaming/monitor/metrics.py",
        "max(one.unread_seconds or 0 for one in parts)",
        "min(one.unread_seconds or 0 for one in parts)",
        f"{NUMBERS}::test_a_topic_has_the_sum_and_the_worst_of_its_partitions",
    ),
    Mutation(
        "metrics: any user of the machine may read the file",
        "infra/metrics/textfile.py",
        "MODE = 0o640",
        "MODE = 0o644",
        f"{COMMAND}::test_the_file_is_for_the_folders_group_and_nobody_else",
    ),
    Mutation(
        "metrics: the file is written in place",
        "infra/metrics/textfile.py",
        "            file.write(text)\n",
        "            file.write(text)\n        (folder / NAME).write_text(text)\n",
        f"{COMMAND}::test_the_file_is_replaced_whole_and_nothing_is_left_beside_it",
    ),
    Mutation(
        "metrics: a metric that the rules read has another name",
        "batch/status/metrics.py",
        '"daybreak_part_success"',
        '"daybreak_part_read"',
        f"{RULES}::test_a_query_asks_for_what_is_printed",
    ),
    Mutation(
        "metrics: a number of days is named as if it were a duration",
        "batch/status/metrics.py",
        '"daybreak_settlements"',
        '"daybreak_settled_days"',
        f"{NUMBERS}::test_names_and_help_are_as_prometheus_asks",
    ),
    Mutation(
        "logs: a micro-batch's lines have the number of the one before",
        "streaming/tables/progress.py",
        '        logs.at(f"{INGEST}/{generation}/{batch_id}")\n        write(validated, batch_id)\n',
        '        write(validated, batch_id)\n        logs.at(f"{INGEST}/{generation}/{batch_id}")\n',
        f"{LOGS}::test_lines_of_a_micro_batch_have_its_id",
    ),
    Mutation(
        "logs: an exception takes as many lines as its traceback",
        "infra/logs.py",
        "    sys.excepthook = _ended\n",
        "    sys.excepthook = sys.__excepthook__\n",
        f"{LOGS}::test_an_exception_that_ends_a_program_or_a_thread_is_one_line",
    ),
    Mutation(
        "logs: a traceback is taken for a program's last words",
        "infra/logs.py",
        ' and "exception" not in found',
        " and True",
        f"{LOGS}::test_the_last_words_are_found_in_either_form",
    ),
)
