"""Mistakes in what lineage says, and in what it must not do to the work that it speaks of.

Data flow: infra/lineage, infra/lake/access, streaming/lineage, batch/lineage -> Mutation
Run: python -m tests.mutations lineage
"""

from tests.mutations.mutation import Mutation

EMITTER = "tests/infra/lineage/test_emitter.py"
COLUMNS, STREAM = (f"tests/streaming/lineage/test_{name}.py" for name in ("columns", "stream_lineage"))
NIGHT = "tests/batch/test_killed.py::test_a_night_killed_at_any_point_is_finished_by_the_next"

LINEAGE = (
    Mutation(
        "lineage: a program waits at its end until the place answers",
        "infra/lineage/emitter.py",
        "self._thread.join(LAST_SECONDS)",
        "self._thread.join(10 * LAST_SECONDS)",
        f"{EMITTER}::test_a_server_that_keeps_silent_holds_nobody_up",
    ),
    Mutation(
        "lineage: events wait without a bound",
        "infra/lineage/emitter.py",
        "if len(self._events) < self._queued:",
        "if self._queued:",
        f"{EMITTER}::test_beyond_the_queues_bound_new_events_are_lost",
    ),
    Mutation(
        "lineage: each try of a place that is away is told",
        "infra/lineage/emitter.py",
        "                if not self._is_away:\n",
        "                if True:\n",
        f"{EMITTER}::test_a_place_that_is_away_is_told_once",
    ),
    Mutation(
        "lineage: an event that is refused is tried again for ever",
        "infra/lineage/place.py",
        "status // 100 == 4",
        "status // 100 == 6",
        f"{EMITTER}::test_a_refused_event_is_lost_and_the_next_one_goes",
    ),
    Mutation(
        "lineage: an event that cannot be made ends the program",
        "infra/lineage/runs.py",
        "        except Exception as failure:\n            self.emitter.lose(",
        "        except KeyError as failure:\n            self.emitter.lose(",
        f"{STREAM}::test_what_cannot_be_told_does_not_stop_the_stream",
    ),
    Mutation(
        "lineage: the stream says every micro-batch",
        "streaming/lineage/of_stream.py",
        "time.monotonic() - self._said_at >= EVERY",
        "EVERY",
        f"{STREAM}::test_many_micro_batches_are_one_event_a_minute",
    ),
    Mutation(
        "lineage: a stream that failed is told as one that ended well",
        "infra/lineage/runs.py",
        "(RunState.COMPLETE, None) if failure is None else",
        "(RunState.COMPLETE, None) if failure is None or True else",
        f"{STREAM}::test_a_stream_that_fails_says_why_and_fails_all_the_same",
    ),
    Mutation(
        "lineage: what delta-rs replaces is not told as written",
        "infra/lake/writes.py",
        '    A row of another day or view is refused.\n    """\n    access.writes(table)\n',
        '    A row of another day or view is refused.\n    """\n    access.reads(table)\n',
        NIGHT,
    ),
    Mutation(
        "lineage: a step of a day has no run of its rows",
        "batch/night/steps.py",
        'lineage.step("truth", plan.day, plan.run)',
        'lineage.step("truth", plan.day)',
        NIGHT,
    ),
    Mutation(
        "lineage: fields of a struct are mixed up",
        "streaming/lineage/value.py",
        'found = self.fields.get(name or "", NOTHING)',
        "found = merged(self.fields.values())",
        f"{COLUMNS}::test_a_joined_view_has_each_column_of_its_partner_apart",
    ),
    Mutation(
        "lineage: a union has the columns of its first part",
        "streaming/lineage/origins.py",
        "merged(one.value for one in same)",
        "same[0].value",
        f"{COLUMNS}::test_a_joined_view_has_each_column_of_its_partner_apart",
    ),
    Mutation(
        "lineage: what groups rows is not told",
        "streaming/lineage/origins.py",
        '("groupingExpressions", Way.GROUP_BY)',
        '("groupings", Way.GROUP_BY)',
        f"{COLUMNS}::test_a_windowed_view_has_its_sum_and_its_window",
    ),
)
