"""Mistakes of the labs: a step out of order, a wrong count, a broken promise that nobody hears of.

Data flow: infra/lab -> Mutation
Run: python -m tests.mutations lab
"""

from tests.mutations.mutation import Mutation

ACKS, DIRECT, OVERLOAD = "tests/infra/lab/acks", "tests/infra/lab/direct", "tests/infra/lab/overload"
FIT = "tests/infra/lab/fit/test_table.py"
COUNTS, TABLES = "tests/infra/lab/test_counts.py", "tests/infra/lab/test_tables.py"

LABS = (
    Mutation(
        "lab: a figure of what fits is that of another row",
        "infra/lab/fit/need.py",
        "if all(row[name]",
        "if any(row[name]",
        f"{FIT}::test_a_figure_is_picked_by_all_that_its_row_must_have",
    ),
    Mutation(
        "lab: what was not measured has the time of its lab",
        "infra/lab/fit/table.py",
        'f"not measured yet: {figure.command}", None)',
        'f"not measured yet: {figure.command}", result and result.at)',
        f"{FIT}::test_a_row_that_needs_an_option_says_how_to_turn_it_on",
    ),
    Mutation(
        "lab: at-least-once commits before it has written",
        "infra/lab/delivery_consumer.py",
        "            case Mode.AT_LEAST_ONCE:\n                self._write(batch)\n",
        "            case Mode.AT_LEAST_ONCE:\n"
        "                self._consumer.commit(offsets=offsets, asynchronous=False)\n"
        "                self._write(batch)\n",
        "tests/infra/lab/test_delivery_consumer.py::test_it_dies_in_its_second_batch_where_it_is_told_to",
    ),
    Mutation(
        "lab: a record found twice is not doubled",
        "infra/lab/counts.py",
        "times[one] > 1",
        "times[one] > 2",
        f"{COUNTS}::test_lost_is_never_found_and_doubled_is_found_again",
    ),
    Mutation(
        "lab: a successor goes on where the dead member had begun",
        "infra/lab/reads.py",
        "if read.member != dead and read.partition in partitions:",
        "if read.partition in partitions:",
        f"{COUNTS}::test_a_successor_reads_again_what_was_not_committed",
    ),
    Mutation(
        "lab: at-most-once may double a record",
        "infra/lab/delivery_table.py",
        'Mode.AT_MOST_ONCE: ("doubled",),',
        "Mode.AT_MOST_ONCE: (),",
        f"{TABLES}::test_each_mode_is_held_to_what_it_promises",
    ),
    Mutation(
        "lab: a delay counts although the follower did not look",
        "infra/lab/polling_table.py",
        "if change in one.seen and not one.was_absent(scene, change)]",
        "if change in one.seen]",
        "tests/infra/lab/test_polling.py::test_a_delay_counts_only_where_the_followers_looked",
    ),
    Mutation(
        "lab: a notification that a listener did not hear breaks nothing",
        "infra/lab/polling_table.py",
        "for change in told.missed(scene) if not told.was_absent(scene, change)]",
        "for change in told.missed(scene) if False]",
        "tests/infra/lab/test_polling.py::test_capture_must_see_all_and_notifications_what_was_listened_for",
    ),
    Mutation(
        "lab: a captured copy that differs breaks nothing",
        "infra/lab/dual_writes_table.py",
        "        if not one.is_equal\n",
        "        if one.is_equal and not one.is_equal\n",
        "tests/infra/lab/test_dual_writes.py::test_only_what_was_captured_must_be_equal",
    ),
    Mutation(
        "lab: an order that one of two consumers has is not lost",
        "infra/lab/direct/figures.py",
        "streams = [0] if shared else CONSUMERS",
        "streams = [0] if shared else CONSUMERS[:1]",
        f"{DIRECT}/test_figures.py::test_what_one_consumer_lacks_is_lost_although_the_other_has_it",
    ),
    Mutation(
        "lab: a repetition counts as out of order",
        "infra/lab/direct/figures.py",
        "        if (stream, number) in seen:\n            continue\n",
        "",
        f"{DIRECT}/test_figures.py::test_a_repetition_is_doubled_and_not_out_of_order",
    ),
    Mutation(
        "lab: nobody hears of the loss of the last messages",
        "infra/lab/transports/retransmission.py",
        "self._end = max(self._end, held.end)",
        "self._end = max(self._end, held.oldest)",
        "tests/infra/lab/transports/test_retransmission.py::test_the_loss_of_the_last_messages_is_heard_of",
    ),
    Mutation(
        "lab: a consumer asks for ever for what no history has",
        "infra/lab/transports/retransmission.py",
        "while self._next < held.oldest:",
        "while False:",
        "tests/infra/lab/transports/test_retransmission.py::test_what_the_history_lacks_is_given_up_and_counted",
    ),
    Mutation(
        "lab: a webhook is answered before the work is done",
        "infra/lab/transports/webhook_receiver.py",
        """        self.server.work(self.rfile.read(int(self.headers["Content-Length"])))
        self.send_response_only(204)
        self.end_headers()
""",
        """        message = self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response_only(204)
        self.end_headers()
        self.server.work(message)
""",
        f"{DIRECT}/test_runs.py::test_a_death_in_a_message_costs_what_the_transport_promises",
    ),
    Mutation(
        "lab: Kafka may lose an order when its producer dies",
        "infra/lab/direct/table.py",
        "one.transport is Transport.KAFKA\n",
        "False\n",
        f"{DIRECT}/test_table.py::test_a_loss_breaks_a_promise_only_where_one_was_given",
    ),
    Mutation(
        "lab: what waits in a dead producer counts as lost before its death",
        "infra/lab/overload/measure.py",
        "(0 if sample.producer else counts.lost) if case.ends else lost_by[sample.sent]",
        "lost_by[sample.sent]",
        f"{OVERLOAD}/test_measure.py::test_what_waits_in_memory_is_lost_when_its_process_dies",
    ),
    Mutation(
        "lab: a transport that makes the producer wait may refuse",
        "infra/lab/overload/cases.py",
        "return self.policy in (Policy.BACKPRESSURE, Policy.DISK, Policy.LOG)",
        "return self.policy in (Policy.DISK, Policy.LOG)",
        f"{OVERLOAD}/test_table.py::test_only_a_queue_in_memory_may_refuse_an_order",
    ),
    Mutation(
        "lab: a full queue takes one more",
        "infra/lab/transports/webhook.py",
        "queue.length >= self._high_water",
        "queue.length > 10 * self._high_water",
        "tests/infra/lab/transports/test_webhook.py::test_a_full_queue_refuses_and_says_so",
    ),
    Mutation(
        "lab: a slow consumer makes up for its idle time",
        "infra/lab/processes/pace.py",
        "max(self._free_at, now - CATCH_UP_SECONDS)",
        "self._free_at or now",
        "tests/infra/lab/processes/test_pace.py::test_idle_time_is_not_made_up_for",
    ),
    Mutation(
        "lab: what was sent and not acknowledged counts as lost",
        "infra/lab/acks/figures.py",
        "lost=len(sent.acknowledged.keys() - seen)",
        "lost=sent.count - len(seen)",
        f"{ACKS}/test_figures.py::test_acknowledgements_are_held_against_the_log",
    ),
    Mutation(
        "lab: an order that is lost with acks=all breaks nothing",
        "infra/lab/acks/table.py",
        "one.setting in (Setting.ALL, Setting.IDEMPOTENT)",
        "one.setting is Setting.IDEMPOTENT",
        f"{ACKS}/test_table.py::test_only_what_kafka_promises_is_broken",
    ),
    Mutation(
        "lab: a broker outlives the lab that started it",
        "infra/lab/acks/tether.py",
        "prctl(PR_SET_PDEATHSIG, signal.SIGKILL)",
        "prctl(PR_SET_PDEATHSIG, 0)",
        f"{ACKS}/test_cluster.py::test_a_tethered_program_dies_with_whoever_started_it",
    ),
)
