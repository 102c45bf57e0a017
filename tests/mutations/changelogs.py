"""Mistakes in how views look rows up in a changelog, in the stream and in the night.

Data flow: streaming/state/changelog, streaming/views/as_of, batch/truth/history, batch/truth/parts -> Mutation
Run: python -m tests.mutations changelog
"""

from tests.mutations.mutation import Mutation

STATE = "tests/streaming/test_view_state.py::test_a_change_is_said_at_once_in_open_rows"
NIGHT = "tests/bench/oracle/test_changelogs.py"

CHANGELOGS = (
    Mutation(
        "changelog: a version ends when the next one happened, not when it was known",
        "streaming/views/as_of.py",
        "F.min(KNOWN_AT).over(later)",
        'F.min("event_time").over(later)',
        "tests/streaming/test_as_of.py::test_at_every_time_one_version_is_the_last_that_was_known",
    ),
    Mutation(
        "changelog: the stream leaves late changes out for ever",
        "streaming/state/changelog.py",
        "is_counted = pc.or_(is_counted, ",
        "is_counted = pc.and_(is_counted, ",
        "tests/streaming/test_changelog.py::test_of_late_events_only_changes_count_once_they_are_known",
    ),
    Mutation(
        "changelog: a change does not touch the rows that look it up",
        "streaming/state/kinds.py",
        'found.append(pc.binary_join_element_wise(str(numbers.index(name)), keys, ":"))',
        "found.append(pa.chunked_array([pa.nulls(events.num_rows, pa.string())]))",
        STATE,
    ),
    Mutation(
        "changelog: the first event of each key is kept in place of the last",
        "streaming/state/changelog.py",
        "np.append(of_key[1:] != of_key[:-1], True)[: own.num_rows]",
        "np.append(True, of_key[1:] != of_key[:-1])[: own.num_rows]",
        "tests/streaming/test_changelog.py::test_memory_grows_with_the_keys_and_not_with_the_changes",
    ),
    Mutation(
        "changelog: the night reads only the days around the day",
        "batch/truth/reach.py",
        "found = around | is_history(day.start - LOOKBACK)",
        "found = around",
        f"{NIGHT}::test_a_row_shows_what_was_known_at_its_time",
    ),
    Mutation(
        "changelog: a change of an earlier day touches no later one",
        "batch/due/affected_days.py",
        "if older < day]",
        "if older > day]",
        f"{NIGHT}::test_an_earlier_change_touches_the_days_that_look_it_up",
    ),
    Mutation(
        "changelog: evidence of every later day names a late change",
        "batch/truth/history.py",
        'return needed(view, span) & ~(F.col("topic").isin(*view.changelogs) & was_known)',
        "return needed(view, span)",
        f"{NIGHT}::test_a_late_change_differs_until_it_was_known",
    ),
    Mutation(
        "changelog: a version of a day looks up what another version knows",
        "batch/truth/versions.py",
        "sorted(prefixed.intersection(contract.payload.fieldNames()))",
        "sorted({law.column}.intersection(contract.payload.fieldNames()))",
        "tests/batch/test_versions.py::test_each_version_has_the_rows_it_has_alone",
    ),
)
