"""Mistakes of the stream's own machinery: the gate, memory of what was read, offsets and checkpoints, writing once.

Data flow: streaming/gate, silver, recent, ingest, checkpoint, gaps, offsets, definitions; infra/writes -> Mutation
Run: python -m tests.mutations gate
"""

from tests.mutations.mutation import Mutation

GATE, RECENT = "tests/streaming/test_gate.py", "tests/streaming/test_recent.py"
GAPS, INGEST = "tests/streaming/test_gaps.py", "tests/streaming/test_ingest.py"

STREAM = (
    Mutation(
        "gate: a millisecond too far back",
        "streaming/gate.py",
        "else self._largest - self._delay_ms",
        "else self._largest - self._delay_ms - 1",
        f"{GATE}::test_the_gate_follows_the_newest_event_and_never_goes_back",
    ),
    Mutation(
        "gate: goes back with an older micro-batch",
        "streaming/gate.py",
        "else max(self._largest, largest_ms)",
        "else largest_ms",
        f"{GATE}::test_the_gate_follows_the_newest_event_and_never_goes_back",
    ),
    Mutation(
        "gate: an event on it is late",
        "streaming/silver.py",
        'F.lit(gate_ms) - F.unix_millis("event_time")',
        'F.lit(gate_ms + 1) - F.unix_millis("event_time")',
        f"{GATE}::test_late_is_what_is_strictly_behind_the_gate",
    ),
    Mutation(
        "gate: a repeated micro-batch has moved its own gate",
        "streaming/gate.py",
        'F.col("batch_id") >= batch_id',
        'F.col("batch_id") > batch_id',
        f"{GATE}::test_a_restarted_stream_finds_the_gate_as_it_was",
    ),
    Mutation(
        "memory: forgets the event on the gate, which is still on time",
        "streaming/recent.py",
        "if seen[0] >= gate_ms",
        "if seen[0] > gate_ms",
        f"{RECENT}::test_memory_knows_what_was_added_and_forgets_what_is_behind_the_gate",
    ),
    Mutation(
        "memory: a repetition takes the first arrival's place",
        "streaming/recent.py",
        "self._seen.setdefault(arrival.event_id, (arrival.time_ms, arrival.content_hash))",
        "self._seen[arrival.event_id] = (arrival.time_ms, arrival.content_hash)",
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
        "checkpoint: a join has read as far as the faster of its inputs",
        "streaming/checkpoint.py",
        'min(int(source["reservoirVersion"]) for source in self.sources)',
        'max(int(source["reservoirVersion"]) for source in self.sources)',
        f"{INGEST}::test_a_query_has_read_as_far_as_its_slowest_source",
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
        "streaming/offsets.py",
        "for partition, end in partitions.items()",
        "for partition, end in list(partitions.items())[:1]",
        "tests/streaming/test_offsets.py::test_a_group_without_members_gets_the_offsets",
    ),
    Mutation(
        "version: that of a view does not follow a changed contract",
        "streaming/definitions.py",
        'f"{contracts}{fingerprint(rows)}"',
        "fingerprint(rows)",
        "tests/streaming/test_definitions.py::test_a_changed_rule_is_another_version_of_everything",
    ),
    Mutation(
        "writing: a repeated micro-batch is appended again",
        "infra/writes.py",
        '        .option("txnAppId", writer)\n        .option("txnVersion", version)\n',
        "",
        "tests/infra/test_writes.py::test_a_batch_is_appended_once",
    ),
)
