"""A pseudonym has the value's type and form, is the same each time, and keeps the rules that the value keeps."""

from dataclasses import replace
from typing import Any

import pytest

from infra.failures import PermanentFailure
from infra.lake.columns import column, struct
from streaming.contracts.contract import Contract, Version, between, length_between, matches
from streaming.golden.masking import Holds, Masking, refuse

PEOPLE = Contract(
    topic="people",
    description="People, with what nobody shall see.",
    key="person_id",
    payload=struct(
        column("person_id", "string", "Who"),
        column("email", "string", "Where they read"),
        column("percent", "bigint", "How much"),
        column("nick", "string", "Of version 2"),
        column("seen_at", "timestamp", "When"),
    ),
    required={"person_seen": ("person_id",)},
    rules=(
        matches("person_id", "p-[0-9]{1,6}"),
        matches("email", "[a-z.]+@[a-z]+\\.[a-z]+"),
        between("percent", 0, 100),
    ),
    later=(Version(2, adds=("nick",), rules=(length_between("nick", 2, 4),)),),
    masked=("person_id", "email", "percent", "nick"),
)
MASKING = Masking(b"a key")
EVENT = {
    "event_id": "e",
    "event_type": "person_seen",
    "person_id": "p-7",
    "email": "ann.lee@example.org",
    "percent": 100,
}


def rules(field: str) -> list[Holds]:
    return [rule.holds for rule in PEOPLE.all_rules if rule.field == field and rule.holds]


def test_a_pseudonym_is_the_same_each_time_and_needs_the_key() -> None:
    found = MASKING.event(PEOPLE, EVENT)
    assert found == Masking(b"a key").event(PEOPLE, EVENT)
    assert found["email"] not in (EVENT["email"], Masking(b"another").event(PEOPLE, EVENT)["email"])
    assert (found["event_id"], found["event_type"]) == ("e", "person_seen")


@pytest.mark.parametrize(
    "value", ["Zoë Lee, 日本", "o-1f0e3dad", "+49 170 1234567", "", "--", 7, 2**63 - 1, -3.25, 1e22, True, None]
)
def test_a_pseudonym_has_the_type_and_the_form_of_the_value(value: Any) -> None:
    def form(one: object) -> str:
        return "".join("a" if sign.isalpha() else "0" if sign.isdigit() else sign for sign in str(one))

    found = MASKING.value(value)
    assert type(found) is type(value)
    assert isinstance(value, bool) or form(found) == form(value)


def test_each_text_and_number_inside_is_replaced() -> None:
    found = MASKING.value({"names": ["Ann", "Lee"], "age": {"years": 31234}})
    assert found.keys() == {"names", "age"}
    assert "Ann" not in found["names"]
    assert found["age"]["years"] != 31234


def test_values_of_one_form_never_meet() -> None:
    assert len({MASKING.value(f"p-{number:03}", rules("person_id")) for number in range(1000)}) == 1000
    assert len({MASKING.value(number) for number in range(100, 1000)}) == 900


def test_rules_that_a_value_keeps_are_kept_and_broken_ones_are_not() -> None:
    assert all(0 <= MASKING.value(number, rules("percent")) <= 100 for number in range(101))
    assert all(MASKING.value(number, rules("percent")) > 100 for number in range(101, 200))
    assert MASKING.value("p-123456", rules("person_id")).startswith("p-")
    assert not rules("person_id")[0](MASKING.value("p-", rules("person_id")))
    assert MASKING.value(7, rules("email")) in range(10)


def test_what_the_contract_does_not_name_stays_and_unknown_fields_do_not() -> None:
    event = {**EVENT, "e-mail": "ann.lee@example.org"}
    bare = replace(PEOPLE, masked=())
    assert MASKING.event(bare, event) == event
    assert "ann" not in str(MASKING.event(replace(PEOPLE, masked=("email",)), event))
    assert MASKING.event(replace(PEOPLE, masked=("email",)), event)["person_id"] == "p-7"


def test_the_key_is_masked_as_the_field_that_it_is() -> None:
    assert MASKING.key(PEOPLE, "p-7") == MASKING.event(PEOPLE, EVENT)["person_id"]
    assert MASKING.key(PEOPLE, None) is None
    assert MASKING.key(replace(PEOPLE, masked=("email",)), "p-7") == "p-7"


def test_what_cannot_be_masked_is_a_sentence() -> None:
    refuse(PEOPLE)
    with pytest.raises(PermanentFailure, match="`seen_at`, a timestamp"):
        refuse(replace(PEOPLE, masked=("seen_at",)))
    with pytest.raises(ValueError, match="masked names `phone`"):
        replace(PEOPLE, masked=("phone",))


def test_an_older_version_masks_the_fields_that_it_has() -> None:
    assert PEOPLE.at(1).masked == ("person_id", "email", "percent")
