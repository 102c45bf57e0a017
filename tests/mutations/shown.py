"""Mistakes in the figures that people are shown: freshness, lag, rejected records, smallest delays.

Data flow: streaming/monitor/freshness, lag, rejections, curves -> Mutation
Run: python -m tests.mutations infra
"""

from tests.mutations.mutation import Mutation

FRESHNESS, LAG, REJECTIONS, CURVES = (
    "tests/streaming/test_freshness.py",
    "tests/streaming/test_lag.py",
    "tests/streaming/test_rejections.py",
    "tests/batch/test_curves.py",
)

SHOWN = (
    Mutation(
        "freshness: p99 is p95",
        "streaming/monitor/freshness.py",
        "QUANTILES = (0.5, 0.95, 0.99)",
        "QUANTILES = (0.5, 0.95, 0.95)",
        f"{FRESHNESS}::test_percentiles_of_a_known_spread",
    ),
    Mutation(
        "freshness: a view has an event as soon as silver",
        "streaming/monitor/freshness.py",
        "{view: f\"visible['{view}']\" for view in views}",
        "{view: \"visible['silver/events']\" for view in views}",
        f"{FRESHNESS}::test_each_stage_has_an_event_when_its_rows_could_be_read",
    ),
    Mutation(
        "freshness: gold waits for the fastest view",
        "streaming/monitor/freshness.py",
        "ON greatest({everywhere})",
        "ON least({everywhere})",
        f"{FRESHNESS}::test_gold_waits_for_the_first_build_that_began_after_the_slowest_view",
    ),
    Mutation(
        "freshness: gold waits for a view of which nothing was said",
        "streaming/monitor/freshness.py",
        'for stage in ("silver", *views))',
        "for stage in views)",
        f"{FRESHNESS}::test_a_view_of_which_nothing_was_said_does_not_count_the_event",
    ),
    Mutation(
        "lag: one record too few",
        "streaming/monitor/lag.py",
        "lag=max(at.end - committed, 0)",
        "lag=max(at.end - committed - 1, 0)",
        f"{LAG}::test_the_age_of_the_first_unread_record_is_taken_off",
    ),
    Mutation(
        "lag: a partition that nobody has read is read to its end",
        "streaming/monitor/lag.py",
        "committed = at.start if at.committed is None",
        "committed = at.end if at.committed is None",
        f"{LAG}::test_a_partition_unknown_to_the_group_is_unread_from_its_start",
    ),
    Mutation(
        "rejections: a producer of bad commands only is an accident",
        "streaming/quarantine/rejections.py",
        "rejected >= max(FEWEST, ",
        "rejected > max(FEWEST, ",
        f"{REJECTIONS}::test_a_topic_alarms_from_a_share_of_its_records_on",
    ),
    Mutation(
        "rejections: an alarm never ends",
        "streaming/quarantine/rejections.py",
        "for minute, counts in self._minutes.items() if minute > now - MINUTES]",
        "for minute, counts in self._minutes.items()]",
        f"{REJECTIONS}::test_after_ten_minutes_rejections_are_forgotten",
    ),
    Mutation(
        "rejections: only the first reason of a record counts",
        "streaming/quarantine/rejections.py",
        "found = each.group_by(",
        "found = each.slice(0, rejected.num_rows).group_by(",
        f"{REJECTIONS}::test_a_notice_counts_records_and_every_reason",
    ),
    Mutation(
        "curve: the smallest delay for a share is the next larger one",
        "batch/report/curves.py",
        "if in_time >= share * waits.total():",
        "if in_time > share * waits.total():",
        f"{CURVES}::test_the_smallest_delay_is_exact",
    ),
    Mutation(
        "curve: 99.9996 % are shown as all",
        "batch/report/curves.py",
        "thousandths = abs(some) * 100_000 // whole",
        "thousandths = round(abs(some) * 100_000 / whole)",
        f"{CURVES}::test_a_percentage_is_never_rounded_up",
    ),
    Mutation(
        "state: an order's events are taken as they arrived",
        "batch/shop/order_history.py",
        '(one["event_time"], one["arrival"], one["topic"], one["offset"])',
        '(one["arrival"], one["event_time"], one["topic"], one["offset"])',
        "tests/batch/shop/test_order_history.py::test_the_order_of_arrival_changes_nothing_but_what_was_known",
    ),
    Mutation(
        "state: a cancelled order is paid by what comes later",
        "streaming/shop/order_state.py",
        "otherwise is not Status.CANCELLED and ",
        "",
        "tests/batch/shop/test_order_history.py::test_a_cancelled_order_stays_cancelled",
    ),
    Mutation(
        "state: gold may lack an order's last states",
        "batch/shop/order_in_gold.py",
        "zip_longest(told, replayed)",
        "zip(told, replayed)",
        "tests/batch/shop/test_order_history.py::test_the_first_state_that_gold_tells_otherwise_is_named",
    ),
)
