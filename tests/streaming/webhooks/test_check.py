"""A check without Spark; that it says what the stream says is held by tests/streaming/test_webhooks_check.py."""

import json
import os
from dataclasses import replace
from typing import Any

import pytest
from pyspark.sql import Column
from pyspark.sql import functions as F

from streaming.contracts.contract import Contract, Rule
from streaming.reasons import Reason
from streaming.shop.contracts.clicks import CLICKS
from streaming.webhooks.check import CONNECT, Checked, check

NOW = 1_780_000_000_000
CLICK = {
    "event_id": "6f1c2b7e-0d53-4c8e-9a44-5b8f5a0d6c14",
    "event_type": "product_clicked",
    "event_time": NOW,
    "schema_version": 1,
    "session_id": "v-00000001",
    "customer_id": "c-7",
    "product_id": "p-1",
    "position": 1,
}


def found(contract: Contract = CLICKS, **changes: Any) -> Checked:
    event = CLICK | changes
    return check(contract, str(event["session_id"]).encode(), json.dumps(event).encode(), NOW)


def with_rule(topic: str, reason: Reason, broken: Any) -> Contract:
    return replace(CLICKS, topic=topic, rules=(*CLICKS.rules, Rule(reason, broken)))


def test_a_good_event_would_be_taken() -> None:
    assert found() == Checked(())
    assert found().is_valid


def test_a_value_of_another_type_is_not_missing() -> None:
    assert found(position="1").reasons == (Reason.WRONG_TYPE,)


def unheard_of(event: Column) -> Column:
    return F.soundex(event["product_id"]) == "P"


def another_cast(event: Column) -> Column:
    return event["position"].cast("double") > 0.5


def another_schema(event: Column) -> Column:
    return F.from_json("text", "position double")["position"] > 0.5


@pytest.mark.parametrize("broken", [unheard_of, another_cast, another_schema], ids=lambda one: one.__name__)
def test_a_rule_that_cannot_be_read_is_named(broken: Any) -> None:
    contract = with_rule(broken.__name__, Reason.TOTAL_MISMATCH, broken)
    assert found(contract) == Checked((), (Reason.TOTAL_MISMATCH,))
    assert found(contract).is_valid is None
    wrong = found(contract, position=0)
    assert (wrong.is_valid, wrong.reasons, wrong.not_checked) == (
        False,
        (Reason.OUT_OF_RANGE,),
        (Reason.TOTAL_MISMATCH,),
    )


def test_a_broken_rule_counts_although_another_of_its_reason_cannot_be_read() -> None:
    contract = with_rule("both", Reason.OUT_OF_RANGE, unheard_of)
    assert found(contract, position=0) == Checked((Reason.OUT_OF_RANGE,))


def test_nothing_else_of_the_process_is_asked_for_connect() -> None:
    found(with_rule("another", Reason.OUT_OF_RANGE, lambda event: event["position"] > 9))
    assert CONNECT not in os.environ
