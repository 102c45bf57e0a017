"""Mistakes in the capture of a database: which change of a key is the last, what a snapshot says, what follows, what is compared.

Data flow: infra/shop/db, streaming/encodings/debezium, views/reading -> Mutation
Run: python -m tests.mutations captured
"""

from tests.mutations.mutation import Mutation

SHOP_DB, DEBEZIUM = "tests/infra/test_shop_db.py", "tests/streaming/test_debezium.py"
PAST, VALUES = "tests/infra/test_past.py", "tests/infra/test_captured_values.py"
WRONG_ROWS = "tests/streaming/test_wrong_rows.py"
THREE_WAYS = "tests/batch/shop/test_three_ways.py"
ORDER_ROWS = "tests/infra/test_order_rows.py"
LOCKS, LIMITS = "tests/infra/test_shop_db_locks.py", "tests/infra/test_shop_db_limits.py"
TRUTH = "tests/batch/shop/test_captured_truth.py"
ROW_CACHE, FOLLOW = "tests/infra/test_row_cache.py", "tests/infra/test_follow.py"

CAPTURED = (
    Mutation(
        "captured: a row that a snapshot lacks stays",
        "infra/shop/db/changes.py",
        "one.after is not None and one.lsn >= snapshot",
        "one.after is not None",
        f"{SHOP_DB}::test_a_row_that_a_later_snapshot_lacks_was_deleted_unseen",
    ),
    Mutation(
        "captured: the change that comes last counts",
        "infra/shop/db/changes.py",
        "if one.key not in last or last[one.key].lsn <= one.lsn:",
        "if True:",
        f"{SHOP_DB}::test_the_last_change_of_a_key_counts_in_whatever_order_they_come",
    ),
    Mutation(
        "captured: the mark's own position is compared too",
        "infra/shop/db/changes.py",
        "return lsn < self.lsn and lsn not in self.unseen",
        "return lsn <= self.lsn and lsn not in self.unseen",
        f"{SHOP_DB}::test_what_follows_the_mark_is_left_out",
    ),
    Mutation(
        "captured: a start changes tables that need no change",
        "infra/shop/db/tables.py",
        "if table not in full:",
        "if True:",
        f"{LOCKS}::test_nothing_of_ours_waits_for_an_open_transaction[create]",
    ),
    Mutation(
        "captured: a transaction that was open when the rows were read counts",
        "infra/shop/db/reading.py",
        "return not is_upcoming and own not in self.running",
        "return not is_upcoming",
        f"{LOCKS}::test_ids_of_transactions_go_round",
    ),
    Mutation(
        "captured: a transaction that began while the rows were read counts",
        "infra/shop/db/reading.py",
        "return not is_upcoming and own not in self.running",
        "return own not in self.running",
        f"{LOCKS}::test_rows_read_beside_writers_are_the_log_as_of_one_moment",
    ),
    Mutation(
        "captured: a text that was cut is taken for the row's",
        "infra/shop/db/changes.py",
        "if after and is_cut(after):",
        "if False:",
        f"{LIMITS}::test_a_cut_row_is_no_row_until_a_shorter_one_comes",
    ),
    Mutation(
        "captured: the deletion that a snapshot tells beats an open transaction",
        "infra/shop/db/snapshot.py",
        '"lsn": last.lsn + 1,',
        '"lsn": last.lsn + 800,',
        f"{LIMITS}::test_a_deletion_that_we_send_beats_no_open_transaction",
    ),
    Mutation(
        "captured: the night is held against what came after it",
        "batch/shop/captured_truth.py",
        "if (message.offset() or 0) < settled",
        "if 0 < settled",
        f"{TRUTH}::test_what_came_since_the_day_was_settled_is_not_compared",
    ),
    Mutation(
        "captured: rows of the copy only are no difference",
        "infra/shop/db/check.py",
        "differing = sorted(key for key in {*one, *other}.difference(aside) if one.get(key) != other.get(key))",
        "differing = sorted(key for key in {*one}.difference(aside) if one.get(key) != other.get(key))",
        f"{SHOP_DB}::test_the_first_key_that_differs_is_named",
    ),
    Mutation(
        "captured: an event's id does not begin with its position",
        "streaming/encodings/debezium.py",
        'h = f"{lsn:016x}{digest[:16]}"',
        "h = digest[:32]",
        f"{DEBEZIUM}::test_the_same_change_has_one_id_and_later_ones_larger_ids",
    ),
    Mutation(
        "captured: rows that were inserted together have one id",
        "streaming/encodings/debezium.py",
        "digest = hashlib.sha256(json.dumps(change, sort_keys=True).encode()).hexdigest()",
        'digest = hashlib.sha256(b"").hexdigest()',
        f"{DEBEZIUM}::test_rows_that_were_inserted_together_have_ids_of_their_own",
    ),
    Mutation(
        "captured: the connector's clock dates a change, and not the commit",
        "streaming/encodings/debezium.py",
        'source["lsn"], source["ts_ms"]',
        'source["lsn"], change["ts_ms"]',
        f"{DEBEZIUM}::test_each_kind_of_change_is_an_event_of_its_commit",
    ),
    Mutation(
        "captured: the past of the shop is committed now",
        "infra/shop/db/write.py",
        "                dated(at)\n",
        "",
        f"{PAST}::test_the_shops_past_days_are_dated_and_its_live_traffic_is_not",
    ),
    Mutation(
        "captured: a row of a database whose clock is wrong is rejected",
        "streaming/validation/validate.py",
        "F.when(is_captured & is_dated & cannot_be, arrival)",
        "F.when(is_captured & is_dated & F.lit(False), arrival)",
        f"{DEBEZIUM}::test_a_clock_that_cannot_be_leaves_the_date_to_the_arrival",
    ),
    Mutation(
        "captured: a change is measured, and not its row",
        "streaming/encodings/as_json.py",
        'return is_short | F.col("topic").isin(*captured) if captured else is_short',
        "return is_short",
        f"{DEBEZIUM}::test_a_row_is_measured_and_not_the_change_around_it",
    ),
    Mutation(
        "captured: the connector's placeholder is a text",
        "streaming/encodings/debezium.py",
        'if change["op"] != DELETED and not is_whole(row_of(change)):',
        "if False:",
        f"{DEBEZIUM}::test_a_change_that_lacks_a_value_is_refused",
    ),
    Mutation(
        "captured: followers take the connector's placeholder for a text",
        "infra/shop/db/changes.py",
        "return found if is_whole(found.after) else None",
        "return found",
        f"{SHOP_DB}::test_what_is_no_change_of_a_row_is_passed_over",
    ),
    Mutation(
        "captured: the command that mends a table changes its contract's version",
        "streaming/contracts/captured.py",
        'field(default="capture the table anew", repr=False)',
        'field(default="capture the table anew")',
        f"{WRONG_ROWS}::test_the_commands_that_mend_a_table_change_no_version_of_it",
    ),
    Mutation(
        "captured: a rejected row is forgotten by a stream that starts again",
        "streaming/quarantine/wrong_rows.py",
        "if found != before:",
        "if before and found != before:",
        f"{WRONG_ROWS}::test_a_rejected_change_names_row_place_reason_and_command",
    ),
    Mutation(
        "captured: a row that was rejected while copies were compared is mended",
        "streaming/quarantine/wrong_rows.py",
        "[name for name in right if now.get(name) == before[name]]",
        "right",
        f"{WRONG_ROWS}::test_a_copy_that_was_seen_right_ends_what_was_known_before",
    ),
    Mutation(
        "captured: a row whose stamp is still to come is done for ever",
        "infra/shop/followers/order_rows.py",
        "least(changed_at, now())",
        "changed_at",
        f"{ORDER_ROWS}::test_a_row_with_any_stamp_is_gone_on_from",
    ),
    Mutation(
        "captured: a year before our era is one after it",
        "infra/shop/db/values.py",
        'number = int(f"{sign}{year}") if not bc else 1 - int(year)',
        'number = int(f"{sign}{year}")',
        f"{VALUES}::test_an_instant_is_written_in_one_way",
    ),
    Mutation(
        "captured: the stream reads what a transaction took back",
        "infra/kafka/spark_source.py",
        '"kafka.isolation.level": "read_committed"',
        '"kafka.isolation.level": "read_uncommitted"',
        "tests/infra/test_spark_source.py::test_the_source_reads_all_topics_and_misses_no_record",
    ),
    Mutation(
        "captured: a view goes on reading the topic",
        "streaming/views/reading.py",
        "inputs=tuple(own.get(topic, topic) for topic in view.inputs),",
        "inputs=view.inputs,",
        "tests/streaming/test_reading.py::test_only_views_of_these_topics_change",
    ),
    Mutation(
        "captured: an order waits for its event for ever",
        "batch/shop/three_ways.py",
        "if at not in told and at > asked.at - LATEST]",
        "if at not in told]",
        f"{THREE_WAYS}::test_nothing_waits_longer_than_the_shops_events_are_late",
    ),
    Mutation(
        "captured: what was written after the rows were read counts",
        "batch/shop/three_ways.py",
        'return event["event_time"] in behind or event["arrival"] > asked.at',
        "return False",
        f"{THREE_WAYS}::test_what_was_written_after_the_rows_were_read_is_left_out",
    ),
    Mutation(
        "follower: the warehouse is built without the position that it has",
        "infra/sql/gold.py",
        '_dbt(s, [*DBT[Verb.REBUILD], "--select", *models], known(s))',
        '_dbt(s, [*DBT[Verb.REBUILD], "--select", *models], {})',
        "tests/infra/test_gold.py::test_some_models_are_rebuilt_with_what_is_known_then",
    ),
    Mutation(
        "follower: the cache writes without looking where it was left",
        "infra/shop/followers/row_cache.py",
        "if from_text(pipe.hgetall(self._name(POSITION))) != self._left:",
        "if False:",
        f"{ROW_CACHE}::test_a_server_that_lost_its_data_is_noticed",
    ),
    Mutation(
        "follower: an older change of a key replaces a newer one in the cache",
        "infra/shop/followers/row_cache.py",
        "if one.lsn >= last[field]:",
        "if True:",
        f"{ROW_CACHE}::test_an_older_change_changes_nothing_not_even_after_a_deletion",
    ),
    Mutation(
        "follower: while nothing changes nobody looks whether the data is there",
        "infra/shop/followers/follow.py",
        "if follower.position() != committed:",
        "if False:",
        f"{FOLLOW}::test_an_idle_follower_notices_that_the_server_lost_its_data",
    ),
    Mutation(
        "follower: an order goes on from its row although an event is older",
        "infra/shop/followers/order_rows.py",
        "is_next = met.newest is None or events[0].key > met.newest",
        "is_next = True",
        f"{ORDER_ROWS}::test_events_in_any_order_and_twice_give_what_the_fold_gives",
    ),
    Mutation(
        "follower: a refunded order is taken for one that was never shipped",
        "infra/shop/followers/order_rows.py",
        "(met.row is None or met.row.status != BACK)",
        "True",
        f"{ORDER_ROWS}::test_events_in_any_order_and_twice_give_what_the_fold_gives",
    ),
    Mutation(
        "follower: two writers of the rows of orders go on",
        "infra/shop/followers/order_rows.py",
        'if _position(own, "FOR UPDATE") != self._left:',
        "if False:",
        f"{ORDER_ROWS}::test_a_second_writer_is_noticed",
    ),
)
