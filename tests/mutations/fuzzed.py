"""Mistakes in how records are read, which only odd records show: names twice, other character sets, numbers that are none.

Data flow: infra/strict_json.py, infra/shop/db, streaming -> Mutation
Run: python -m tests.mutations fuzzed
"""

from tests.mutations.mutation import Mutation

FUZZ, JSON, SHOP_DB = "tests/streaming/test_fuzz.py", "tests/infra/test_strict_json.py", "tests/infra/test_shop_db.py"

FUZZED = (
    Mutation(
        "fuzzed: of a name that is given twice the last value counts",
        "infra/strict_json.py",
        "    if len(found) != len(pairs):\n",
        "    if not found and pairs:\n",
        f"{JSON}::test_what_is_none_is_refused",
    ),
    Mutation(
        "fuzzed: JSON is read in whatever character set it is",
        "infra/strict_json.py",
        "json.loads(value.decode(), ",
        "json.loads(value, ",
        f"{JSON}::test_what_is_none_is_refused",
    ),
    Mutation(
        "fuzzed: a place in the database's log may be no number",
        "infra/capture/envelope.py",
        '    whole(found["source"], "lsn", 0)\n',
        '    int(found["source"]["lsn"])\n',
        f"{FUZZ}::test_each_record_is_judged_by_its_contract_alone",
    ),
    Mutation(
        "fuzzed: a change without its row is a deletion to followers",
        "infra/capture/envelope.py",
        " or row_of(found) is None:",
        ":",
        f"{SHOP_DB}::test_what_is_no_change_of_a_row_is_passed_over",
    ),
    Mutation(
        "fuzzed: the stream takes a command with another command's field",
        "streaming/shop/contracts/order_service.py",
        "        Rule(Reason.UNKNOWN_FIELD, _has_field_of_another),\n",
        "",
        "tests/streaming/test_order_contracts.py::test_service_and_stream_take_the_same_commands",
    ),
    Mutation(
        "fuzzed: the service refuses a command for a field that is null",
        "infra/shop/orders/commands.py",
        "value is not None or name not in FIELDS",
        "name is not None",
        "tests/streaming/test_order_contracts.py::test_service_and_stream_take_the_same_commands",
    ),
    Mutation(
        "fuzzed: a rejected record is not kept",
        "streaming/micro_batch/outcomes.py",
        "        pc.or_(is_conflict, pc.equal(outcome, Outcome.REJECTED.value))\n",
        "        pc.or_(is_conflict, pc.equal(outcome, Outcome.CONFLICT.value))\n",
        f"{FUZZ}::test_stream_and_night_lose_no_record",
    ),
    Mutation(
        "fuzzed: the night finds a record's time in whatever is written there",
        "batch/archive/events.py",
        'F.from_json(json_text(CONTRACTS.values()), "event_id string, event_time long", {"mode": "PERMISSIVE"})',
        'F.from_json(json_text(CONTRACTS.values()), "event_id string, event_time int", {"mode": "PERMISSIVE"})',
        f"{FUZZ}::test_stream_and_night_lose_no_record",
    ),
)
