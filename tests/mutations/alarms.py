"""Mistakes in what is told to be wrong: problems that vanish, days that nobody misses, runs that settle another day.

Data flow: batch/due/plans, batch/night/failed_nights, batch/status/unsettled, dags/day_of_run, infra/services -> Mutation
Run: python -m tests.mutations problems
"""

from tests.mutations.mutation import Mutation

PROBLEMS, NIGHTS, STILL, PLAN, RUN = (
    "tests/batch/test_problems.py",
    "tests/batch/test_failed_nights.py",
    "tests/infra/services/test_standing_still.py",
    "tests/batch/test_due.py",
    "tests/dags/test_day_of_run.py",
)

ALARMS = (
    Mutation(
        "problems: a look that fails mends what it had found",
        "batch/status/look.py",
        '"daybreak status")], problems.add',
        '"daybreak status")], problems.keep',
        f"{PROBLEMS}::test_a_look_that_fails_leaves_what_it_found",
    ),
    Mutation(
        "problems: a day that is settled is told all the same",
        "batch/status/unsettled.py",
        "if day not in {*done}",
        "if day",
        f"{PROBLEMS}::test_a_day_with_events_that_no_night_settles_is_told",
    ),
    Mutation(
        "problems: a task that succeeded since is told all the same",
        "infra/airflow/problems.py",
        "last.setdefault(task.name, (run, task))",
        "last[task.name] = (run, task)",
        f"{PROBLEMS}::test_a_task_that_failed_is_told_until_it_succeeds",
    ),
    Mutation(
        "problems: the settlement that is to be replaced mends its day",
        "batch/night/failed_nights.py",
        "if at and one.since and at > one.since",
        "if at and one.since",
        f"{NIGHTS}::test_what_was_settled_since_is_over",
    ),
    Mutation(
        "problems: a program in a backlog stands still",
        "infra/services/standing_still.py",
        "now - moved < s.still_seconds or ",
        "",
        f"{STILL}::test_a_service_that_leaves_commands_waiting_is_told",
    ),
    Mutation(
        "night: days that no night came for stay provisional",
        "batch/due/plans.py",
        "whole = {*open_days, *missed,",
        "whole = {*open_days,",
        f"{PLAN}::test_days_that_no_night_came_for_are_made_up_for",
    ),
    Mutation(
        "night: history before the first settled day is a missed night",
        "batch/due/plans.py",
        "if first < day < night.date",
        "if day < night.date",
        f"{PLAN}::test_days_that_no_night_came_for_are_made_up_for",
    ),
    Mutation(
        "night: a run by hand settles the interval before its date",
        "dags/day_of_run.py",
        'kind in ("scheduled", "backfill") and run.data_interval_start',
        "run.data_interval_start",
        f"{RUN}::test_a_run_settles_the_day_that_a_person_means",
    ),
    Mutation(
        "alarms: a captured column that is gone is no problem",
        "infra/shop/db/migrated.py",
        "if column not in columns",
        "if column in columns and column not in expected[table]",
        "tests/infra/test_migrated.py::test_a_renamed_column_is_told_until_it_is_renamed_back",
    ),
    Mutation(
        "stream: what is cut off for its size is not read again",
        "streaming/micro_batch/rate.py",
        "self.unbound(largest + 1)",
        "self.unbound(NO_LIMIT)",
        "tests/streaming/test_rate.py::test_only_what_was_cut_is_read_again",
    ),
    Mutation(
        "room: who fails for want of room does not name the disk",
        "infra/failures.py",
        "if room.NO_ROOM.search(str(failure)) and not is_told",
        "if is_told",
        "tests/infra/test_room.py::test_who_fails_for_want_of_room_names_the_disk",
    ),
    Mutation(
        "room: what cannot be written down is not told",
        "batch/status/look.py",
        "            unkept += [replace(one, since=datetime.now(UTC)) for one in found]\n",
        "            unkept += []\n",
        "tests/infra/test_room.py::test_what_cannot_be_written_down_is_told_all_the_same",
    ),
    Mutation(
        "room: a service elsewhere is measured by the disks here",
        "infra/room.py",
        'if s.embedded("kafka_bootstrap"):',
        "if s.home:",
        "tests/infra/test_room.py::test_a_service_elsewhere_has_its_own_disks",
    ),
)
