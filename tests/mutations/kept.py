"""Mistakes in what is kept, and for how long.

Data flow: infra/lake/upkeep, streaming/state -> Mutation
Run: python -m tests.mutations upkeep state:
"""

from tests.mutations.mutation import Mutation

UPKEEP = "tests/infra/test_upkeep.py"
FORGOTTEN = "tests/streaming/test_forgotten.py"
LAYOUT = "streaming/state/layout.py"
NIGHTS = "tests/batch/test_upkeep.py"

PATIENCE = "tests/streaming/test_patience.py"
HOT = "tests/streaming/test_hot_parts.py"

KEPT = (
    Mutation(
        "state: large parts wait at the end of the log, for a micro-batch that may never come",
        "streaming/positions/patience.py",
        "not (waits and is_large)",
        "not is_large",
        f"{PATIENCE}::test_parts_wait_if_more_comes_and_one_is_large",
    ),
    Mutation(
        "state: a repeated micro-batch computes parts that waited the first time",
        "streaming/positions/patience.py",
        "self._decided.before(batch_id) is not None",
        "False",
        f"{PATIENCE}::test_a_repeated_micro_batch_lets_the_same_wait",
    ),
    Mutation(
        "state: a busy window is called a fault of its producer",
        "streaming/state/hot.py",
        "if isinstance(law, ByPart):",
        "if law:",
        f"{HOT}::test_a_window_may_wait_and_is_no_fault",
    ),
    Mutation(
        "state: what a large part owes is forgotten when the state is filled again",
        "streaming/state/store.py",
        "(version, micros_of(watermark), None, FILLED)",
        "(version, micros_of(watermark), None, FILL)",
        "tests/streaming/test_view_state.py::test_what_waits_is_lost_neither_with_the_state_nor_with_the_watermark",
    ),
    Mutation(
        "upkeep: Airflow's database grows for ever",
        "batch/night/upkeep.py",
        "old_runs.remove_old(settings())",
        "0",
        f"{NIGHTS}::test_a_day_later_it_is_due_once",
    ),
    Mutation(
        "upkeep: a day too many is forgotten",
        "infra/lake/upkeep.py",
        "- timedelta(days=days)\n",
        "- timedelta(days=days - 1)\n",
        f"{UPKEEP}::test_rows_older_than_the_days_go_and_the_others_stay",
    ),
    Mutation(
        "upkeep: a silent stream forgets how far it had come",
        "infra/lake/upkeep.py",
        "bound = min(first_kept, max(newest for _, newest in ages))",
        "bound = first_kept",
        f"{UPKEEP}::test_the_newest_rows_stay_whatever_their_age",
    ),
    Mutation(
        "upkeep: one compaction takes all there is",
        "infra/lake/upkeep.py",
        "spent + sum(sizes) > AT_ONCE",
        "spent > sum(sizes) + AT_ONCE",
        f"{UPKEEP}::test_one_compaction_rewrites_so_many_bytes_at_most",
    ),
    Mutation(
        "state: what no open row needs is kept as long as one may be open",
        LAYOUT,
        '"rests": view.stays_open,',
        '"rests": False,',
        f"{FORGOTTEN}::test_a_day_after_its_payment_an_order_is_forgotten",
    ),
    Mutation(
        "state: an order is forgotten as soon as its row is final",
        LAYOUT,
        '"rest": micros(view.rest),',
        '"rest": 0,',
        f"{FORGOTTEN}::test_an_order_placed_again_within_its_day_is_not_said_anew",
    ),
    Mutation(
        "state: of a visit that never pauses the beginning is forgotten",
        LAYOUT,
        '"pause": micros(view.pause),',
        '"pause": 0,',
        f"{FORGOTTEN}::test_a_robot_without_a_pause_stays_one_visit",
    ),
    Mutation(
        "state: what somebody chose for the views' plans is overwritten",
        "streaming/state/stores.py",
        "self._session.conf.set(name, chosen.get(name, value))",
        "self._session.conf.set(name, value)",
        "tests/streaming/test_part_store.py::test_behind_many_events_code_is_generated_unless_somebody_chose_otherwise",
    ),
)
