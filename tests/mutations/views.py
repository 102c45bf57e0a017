"""Mistakes in the definitions that both layers share, and that the night alone therefore cannot see: contracts and views.

Data flow: streaming/contracts, validate, repeats, silver, views -> Mutation
Run: python -m tests.mutations streaming/views
"""

from tests.mutations.mutation import Mutation

VALIDATE, REPEATS = "tests/streaming/test_validate.py", "tests/streaming/test_deduplicate.py"
WORDS = "tests/streaming/test_words.py"
ORDINARY = "tests/streaming/test_fast_path.py"
SILVER, VIEWS = "tests/streaming/test_silver.py", "tests/streaming/test_views.py"
TOTALS, PAYMENTS = "streaming/shop/views/order_totals.py", "streaming/shop/views/order_payments.py"
VIEW, AS_OF_JOIN = "streaming/views/view.py", "streaming/views/as_of_join.py"
HOT = "tests/streaming/test_hot_keys.py"

PLAIN = "tests/streaming/test_oracle.py::test_a_view_is_its_plain_definition"

VIEWS_AND_CONTRACTS = (
    Mutation(
        "words: a word ends at a mark on its letters",
        "streaming/words.py",
        '_ON = f"{_SIGN}*"',
        '_ON = ""',
        f"{WORDS}::test_the_views_find_the_words_that_the_index_finds",
    ),
    Mutation(
        "windows: an event exactly the size before counts in a sliding window",
        "streaming/windows.py",
        "moved(after, at + width, -1, nothing)",
        "moved(after, at + width + 1, -1, nothing)",
        PLAIN,
    ),
    Mutation(
        "alerts: a small payment of just 5.00 begins a pattern",
        "streaming/shop/views/fraud_alerts.py",
        '(last["amount_cents"] < SMALL_CENTS)',
        '(last["amount_cents"] <= SMALL_CENTS)',
        PLAIN,
    ),
    Mutation(
        "percentiles: a hundredth of the orders less is not above it",
        "streaming/shop/views/order_value_percentiles.py",
        "percentile_disc({share}) WITHIN",
        "percentile_disc({share} - 0.01) WITHIN",
        "tests/streaming/test_percentiles.py::test_each_percentile_is_at_its_place",
    ),
    Mutation(
        "validate: a clock that is ahead by just the limit is refused",
        "streaming/validation/rules.py",
        'time > F.col("arrival") + F.expr(AHEAD)',
        'time >= F.col("arrival") + F.expr(AHEAD)',
        f"{VALIDATE}::test_the_limits_of_a_clock_are_exact_to_the_millisecond",
    ),
    Mutation(
        "validate: one field too many is let through",
        "streaming/validation/rules.py",
        "F.size(F.array_except(names, known)) > 0",
        "F.size(F.array_except(names, known)) > 1",
        f"{VALIDATE}::test_a_bad_record_carries_every_reason_and_no_other",
    ),
    Mutation(
        "validate: a number in a long form is taken for a text",
        "streaming/validation/fast_path.py",
        "_have_equally_many('\"', bare, bare_again)",
        "_have_equally_many('\"', bare, bare)",
        f"{ORDINARY}::test_whatever_is_sent_the_short_way_says_what_the_long_way_says",
    ),
    Mutation(
        "validate: a field is let through beside a number that is taken for a text",
        "streaming/validation/fast_path.py",
        '_have_equally_many(":", bare, bare_again)',
        '_have_equally_many(":", bare, bare)',
        f"{ORDINARY}::test_whatever_is_sent_the_short_way_says_what_the_long_way_says",
    ),
    Mutation(
        "validate: a tail is let through behind a number that is taken for a text",
        "streaming/validation/fast_path.py",
        '_have_equally_many("}", bare, bare_again)',
        '_have_equally_many("}", bare, bare)',
        f"{ORDINARY}::test_whatever_is_sent_the_short_way_says_what_the_long_way_says",
    ),
    Mutation(
        "validate: a text as long as its event is taken for the event",
        "streaming/validation/fast_path.py",
        "same = (text == again) & ",
        "same = (F.octet_length(text) == F.octet_length(again)) & ",
        f"{ORDINARY}::test_whatever_is_sent_the_short_way_says_what_the_long_way_says",
    ),
    Mutation(
        "search_matches: of many wanted words the last are not looked for",
        "streaming/shop/views/search_matches.py",
        "F.size(F.array_except(wanted, words)) == 0",
        "F.lit(True)",
        "tests/streaming/test_wanted_words.py::test_all_wanted_words_have_to_be_there_however_many",
    ),
    Mutation(
        "validate: only the first reason is kept",
        "streaming/validation/validate.py",
        "F.array_distinct(F.array_compact(F.array(*reasons)))",
        "F.slice(F.array_compact(F.array(*reasons)), 1, 1)",
        f"{VALIDATE}::test_a_bad_record_carries_every_reason_and_no_other",
    ),
    Mutation(
        "contract: an order's total leaves out the quantities",
        "streaming/shop/contracts/orders.py",
        'F.try_multiply(item["quantity"], item["unit_price_cents"])',
        'item["unit_price_cents"]',
        f"{VALIDATE}::test_an_odd_record_is_valid",
    ),
    Mutation(
        "contract: the smallest amount in range is refused",
        "streaming/contracts/contract.py",
        "lambda event: ~event[field].between(low, high))",
        "lambda event: ~event[field].between(low + 1, high))",
        f"{VALIDATE}::test_an_odd_record_is_valid",
    ),
    Mutation(
        "duplicates: the first by offset stands, not the first by arrival",
        "streaming/deduplication/deduplicate.py",
        '("arrival", "topic", "partition", "offset")',
        '("topic", "partition", "offset", "arrival")',
        f"{REPEATS}::test_an_arrival_has_its_outcome",
    ),
    Mutation(
        "duplicates: other content under the same id is only a repetition",
        "streaming/deduplication/deduplicate.py",
        'F.col("content_hash") == F.col("_first")',
        'F.col("_place") > 1',
        f"{REPEATS}::test_an_arrival_has_its_outcome",
    ),
    Mutation(
        "duplicates: what silver has already is no first arrival",
        "streaming/deduplication/deduplicate.py",
        'F.col("written").desc(), *ARRIVAL_ORDER',
        'F.col("arrival").asc_nulls_last(), *ARRIVAL_ORDER',
        f"{REPEATS}::test_an_arrival_has_its_outcome",
    ),
    Mutation(
        "silver: a conflict is dropped, not quarantined",
        "streaming/tables/silver.py",
        "isin(Outcome.REJECTED.value, Outcome.CONFLICT.value)",
        "isin(Outcome.REJECTED.value)",
        f"{REPEATS}::test_a_conflict_goes_to_quarantine_with_its_reason",
    ),
    Mutation(
        "silver: an event lies on the day of its arrival",
        "streaming/tables/silver.py",
        '.withColumn("day", F.to_date("event_time"))',
        '.withColumn("day", F.to_date("arrival"))',
        f"{SILVER}::test_an_event_lies_on_its_own_utc_day",
    ),
    Mutation(
        "window edge: the first millisecond of a minute counts to the one before",
        TOTALS,
        'F.window("event_time", "1 minute")',
        'F.window(F.col("event_time") - F.expr("INTERVAL 1 MILLISECOND"), "1 minute")',
        f"{VIEWS}::test_a_minute_is_half_open_and_what_is_added_counts",
    ),
    Mutation(
        "order_totals: cancelled orders count as placed",
        TOTALS,
        'events["orders"].where(F.col("event_type").isin("order_placed", "items_added"))',
        'events["orders"]',
        f"{VIEWS}::test_a_minute_is_half_open_and_what_is_added_counts",
    ),
    Mutation(
        "cents lost: two orders of the same value are one in the revenue",
        TOTALS,
        'F.sum("total_cents")',
        'F.sum_distinct("total_cents")',
        f"{VIEWS}::test_orders_of_equal_value_count_each",
    ),
    Mutation(
        "order_totals: a minute closes at its beginning",
        TOTALS,
        'closes="window_end"',
        'closes="window_start"',
        f"{VIEWS}::test_a_row_closes_when_no_event_can_change_it",
    ),
    Mutation(
        "window edge: a payment after exactly three days is too late",
        PAYMENTS,
        'first[TIME] <= F.col("ordered_at")',
        'first[TIME] < F.col("ordered_at")',
        f"{VIEWS}::test_an_order_has_its_first_payment_within_three_days",
    ),
    Mutation(
        "window edge: a payment in the order's own millisecond is too early",
        AS_OF_JOIN,
        "window.rangeBetween(Window.unboundedPreceding, Window.currentRow)",
        "window.rowsBetween(Window.unboundedPreceding, -1)",
        f"{VIEWS}::test_an_order_has_its_first_payment_within_three_days",
    ),
    Mutation(
        "join: inner for left, so that unpaid orders vanish",
        AS_OF_JOIN,
        ".where(F.col(_ROW))",
        ".where(F.col(_ROW) & F.col(name).isNotNull())",
        f"{VIEWS}::test_every_placed_order_is_one_row_and_nothing_else_is",
    ),
    Mutation(
        "join: full for left, so that payments without an order are rows",
        AS_OF_JOIN,
        ".where(F.col(_ROW))",
        "",
        f"{VIEWS}::test_every_placed_order_is_one_row_and_nothing_else_is",
    ),
    Mutation(
        "hot key: all later payments are gone over anew for each order",
        AS_OF_JOIN,
        "F.min(name).over(_so_far(from_last))",
        "F.min(name).over(Window.partitionBy(*key).orderBy(_AT).rangeBetween(0, Window.unboundedFollowing))",
        f"{HOT}::test_a_hot_key_makes_no_pairs",
    ),
    Mutation(
        "hot key: each order and each move of its customer are a row",
        AS_OF_JOIN,
        "window.rowsBetween(Window.currentRow, most - 1)",
        "window.rowsBetween(Window.currentRow, Window.unboundedFollowing)",
        f"{HOT}::test_what_a_hot_key_may_have_is_bounded",
    ),
    Mutation(
        "hot key: a search looks at one click too many",
        AS_OF_JOIN,
        "most - 1)",
        "most)",
        "tests/streaming/test_as_of_join.py::test_the_next_ones_are_the_row_and_those_behind_it",
    ),
    Mutation(
        "tie-break: of two payments the later, and at once the larger id, is kept",
        VIEW,
        "F.col(name).asc_nulls_last()",
        "F.col(name).desc_nulls_last()",
        f"{VIEWS}::test_an_order_has_its_first_payment_within_three_days",
    ),
    Mutation(
        "prefer: of an order placed twice the unpaid one is kept",
        VIEW,
        "F.col(name).asc_nulls_last()",
        "F.col(name).asc_nulls_first()",
        f"{VIEWS}::test_of_an_order_placed_twice_the_paid_one_is_its_row",
    ),
    Mutation(
        "cents lost: a payment counts in whole units of the currency",
        PAYMENTS,
        'first["amount_cents"].alias',
        '(first["amount_cents"] - first["amount_cents"] % 100).alias',
        f"{VIEWS}::test_a_payment_counts_to_the_cent",
    ),
)
