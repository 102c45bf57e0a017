"""Mistakes of the stream's own machinery: the watermark, memory of what was read, offsets and checkpoints, writing once.

Data flow: streaming/watermark, silver, recent, ingest, checkpoint, gaps, offsets, definitions; infra/lake/writes -> Mutation
Run: python -m tests.mutations watermark
"""

from tests.mutations.mutation import Mutation

WATERMARK, RECENT = "tests/streaming/test_watermark.py", "tests/streaming/test_dedup_index.py"
CURRENT, LATE = "tests/streaming/test_view_state.py", "tests/streaming/test_late_duplicates.py"
BACKLOG = "tests/streaming/test_backlog.py"
GAPS, INGEST = "tests/streaming/test_gaps.py", "tests/streaming/test_ingest.py"

STREAM = (
    Mutation(
        "watermark: a millisecond too far back",
        "streaming/watermark.py",
        "else self.aligned_ms - self._delay_ms",
        "else self.aligned_ms - self._delay_ms - 1",
        f"{WATERMARK}::test_the_watermark_follows_the_newest_event_and_never_goes_back",
    ),
    Mutation(
        "watermark: goes back with an older micro-batch",
        "streaming/watermark.py",
        "_later(self.aligned_ms, min(reached, default=self._read_ms))",
        "min(reached, default=self._read_ms)",
        f"{BACKLOG}::test_the_watermark_waits_for_the_slowest_and_then_knows_what_was_read",
    ),
    Mutation(
        "watermark: forgets what was read ahead of a backlog",
        "streaming/watermark.py",
        "self._read_ms = _later(self._read_ms, largest_ms)",
        "self._read_ms = largest_ms or self._read_ms",
        f"{BACKLOG}::test_the_watermark_waits_for_the_slowest_and_then_knows_what_was_read",
    ),
    Mutation(
        "watermark: does not wait for a partition with a backlog",
        "streaming/watermark.py",
        "min(reached, default=self._read_ms)",
        "self._read_ms",
        f"{BACKLOG}::test_no_event_is_late_because_another_was_read_first",
    ),
    Mutation(
        "watermark: waits without a limit",
        "streaming/watermark.py",
        "waits_at if time is None else max(time, waits_at)",
        "0 if time is None else time",
        f"{BACKLOG}::test_it_waits_for_a_limited_time",
    ),
    Mutation(
        "watermark: a restart forgets what was read ahead",
        "streaming/watermark.py",
        '("max_event_time", "aligned_event_time")',
        '("aligned_event_time", "aligned_event_time")',
        f"{WATERMARK}::test_a_restarted_stream_finds_the_watermark_as_it_was",
    ),
    Mutation(
        "watermark: a repeated micro-batch asks again who is behind",
        "streaming/backlog.py",
        'if stored.get("batch_id") == batch_id:',
        "if False:",
        f"{BACKLOG}::test_a_repeated_micro_batch_waits_for_the_same",
    ),
    Mutation(
        "watermark: an event on it is late",
        "streaming/silver.py",
        'F.lit(watermark_ms) - F.unix_millis("event_time")',
        'F.lit(watermark_ms + 1) - F.unix_millis("event_time")',
        f"{WATERMARK}::test_late_is_what_is_strictly_behind_the_watermark",
    ),
    Mutation(
        "watermark: a repeated micro-batch has moved its own watermark",
        "streaming/watermark.py",
        'pc.field("batch_id") >= batch_id',
        'pc.field("batch_id") > batch_id',
        f"{WATERMARK}::test_a_restarted_stream_finds_the_watermark_as_it_was",
    ),
    Mutation(
        "restart: takes in what the micro-batch that will be repeated has written",
        "streaming/restore.py",
        '(pc.field("batch_id") >= batch_id)',
        '(pc.field("batch_id") > batch_id)',
        "tests/streaming/test_restore.py::test_recent_ids_are_those_at_or_after_the_watermark",
    ),
    Mutation(
        "memory: forgets the event on the watermark, which is still on time",
        "streaming/dedup_index.py",
        "if seen[0] >= watermark_ms",
        "if seen[0] > watermark_ms",
        f"{RECENT}::test_what_is_tidied_away_is_what_was_forgotten_before",
    ),
    Mutation(
        "memory: a repetition takes the first arrival's place",
        "streaming/dedup_index.py",
        "if seen is None or (watermark_ms is not None and seen[0] < watermark_ms):",
        "if True:",
        f"{RECENT}::test_the_first_arrival_stays_what_is_remembered",
    ),
    Mutation(
        "offsets: of each topic one partition is written to progress",
        "streaming/ingest.py",
        "for partition, to in partitions.items()",
        "for partition, to in list(partitions.items())[:1]",
        f"{INGEST}::test_a_micro_batch_covers_what_came_between_two_plans_of_every_partition",
    ),
    Mutation(
        "offsets: a micro-batch begins one record behind the end of the last",
        "streaming/ingest.py",
        "start.get(topic, {}).get(partition, 0)",
        "start.get(topic, {}).get(partition, -1) + 1",
        f"{INGEST}::test_a_micro_batch_covers_what_came_between_two_plans_of_every_partition",
    ),
    Mutation(
        "checkpoint: goes on behind the last planned micro-batch, not the last committed",
        "streaming/checkpoint.py",
        'self._path(f"{self.of(query)}/commits")',
        'self._path(f"{self.of(query)}/offsets")',
        f"{GAPS}::test_the_stream_goes_on_behind_its_last_committed_micro_batch",
    ),
    Mutation(
        "checkpoint: of micro-batches 9 and 10 the last is 9",
        "streaming/checkpoint.py",
        "max((int(name) for name in names if name.isdigit()), default=None)",
        "int(max(name for name in names if name.isdigit()))",
        f"{GAPS}::test_the_stream_goes_on_behind_its_last_committed_micro_batch",
    ),
    Mutation(
        "views: an additive row is said again and not added to",
        "streaming/view_state.py",
        '"sum" if name in self._law.sums else "max"',
        '"max"',
        f"{CURRENT}::test_what_was_said_last_is_the_view_of_all_events",
    ),
    Mutation(
        "views: events are forgotten before their row is closed",
        "streaming/part_state.py",
        'pc.subtract(watermark, pa.scalar(span, pa.duration("us")))',
        "watermark",
        f"{CURRENT}::test_what_was_said_last_is_the_view_of_all_events",
    ),
    Mutation(
        "views: a row becomes final without being said again",
        "streaming/part_state.py",
        "touched += self._of_rows(due).to_pylist()",
        "pass",
        f"{CURRENT}::test_what_was_said_last_is_the_view_of_all_events",
    ),
    Mutation(
        "views: a row that an event undid stays the answer",
        "streaming/part_state.py",
        "_flagged(removed, removed=True)",
        "_flagged(removed.slice(0, 0), removed=True)",
        f"{CURRENT}::test_a_row_that_an_event_undoes_is_written_as_removed",
    ),
    Mutation(
        "views: an event counts in its own window only, and not as the lookback of the next",
        "streaming/part_state.py",
        "pa.scalar(self._law.lookback, pa.duration",
        "pa.scalar(0 * self._law.lookback, pa.duration",
        f"{CURRENT}::test_an_event_counts_in_the_lookback_of_later_windows",
    ),
    Mutation(
        "alerts: a micro-batch that is repeated sends its alerts again",
        "streaming/alerts.py",
        "at <= self._sent",
        "at < self._sent",
        "tests/streaming/test_alerts.py::test_a_repeated_micro_batch_sends_nothing_again",
    ),
    Mutation(
        "alerts: after a restart the open alerts are news",
        "streaming/alerts.py",
        "if view.name in rows else set()",
        "if False else set()",
        "tests/streaming/test_alerts.py::test_rows_that_were_open_before_a_restart_are_no_news",
    ),
    Mutation(
        "views: after a restart sums begin anew",
        "streaming/view_state.py",
        "self._open = rows.filter(pc.greater_equal(rows[CLOSES], next_watermark))",
        "self._open = None",
        f"{CURRENT}::test_what_was_said_last_is_the_view_of_all_events",
    ),
    Mutation(
        "late: a repeated micro-batch finds its own events in silver",
        "streaming/late_duplicates.py",
        'pc.and_(pc.is_in(rows["event_id"], value_set=ids), pc.invert(own))',
        'pc.is_in(rows["event_id"], value_set=ids)',
        f"{LATE}::test_a_repeated_batch_does_not_find_itself",
    ),
    Mutation(
        "late: a file that ends at a late event's time is not read",
        "streaming/late_duplicates.py",
        'np.searchsorted(times, low, side="left")',
        'np.searchsorted(times, low, side="right")',
        f"{LATE}::test_late_events_find_what_they_repeat_however_their_times_are_spread",
    ),
    Mutation(
        "gaps: one lost record is none",
        "streaming/gaps.py",
        "if first > reached:",
        "if first > reached + 1:",
        f"{GAPS}::test_a_gap_is_what_is_not_there_to_be_read",
    ),
    Mutation(
        "lag tools: one partition per topic is published",
        "streaming/monitor/consumer_group.py",
        "for partition, end in partitions.items()",
        "for partition, end in list(partitions.items())[:1]",
        "tests/streaming/test_consumer_group.py::test_a_group_without_members_gets_the_offsets",
    ),
    Mutation(
        "version: that of a view does not follow a changed contract",
        "streaming/definitions.py",
        "return _hash([plan, *[topics[of_topic(topic, contracts[topic].newest)] for topic in sorted(view.inputs)]])",
        "return _hash([plan])",
        "tests/streaming/test_definitions.py::test_a_changed_rule_changes_its_topic_and_what_reads_it",
    ),
    Mutation(
        "writing: a repeated micro-batch is appended again",
        "infra/lake/writes.py",
        '        .option("txnAppId", writer)\n        .option("txnVersion", version)\n',
        "",
        "tests/infra/test_writes.py::test_a_batch_is_appended_once",
    ),
    Mutation(
        "views: a plan that keeps a shuffle's rows is run again",
        "streaming/standing_plan.py",
        "self.stands = not keeps_results(self._frame)",
        "self.stands = True",
        "tests/streaming/test_standing_plan.py::test_each_run_has_the_rows_that_were_put_last",
    ),
    Mutation(
        "views: rows of the micro-batch before stay where this one has none",
        "streaming/standing_plan.py",
        "        elif self._rows:\n            self._replace(self._nothing.iterator(), 0)\n",
        "",
        "tests/streaming/test_standing_plan.py::test_each_run_has_the_rows_that_were_put_last",
    ),
)
