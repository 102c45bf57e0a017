"""What is proposed of small topics: all alike, all different, nested, with nulls, with names that are no identifiers, empty."""

import json
from typing import Any
from uuid import UUID

import pytest

from infra.failures import PermanentFailure
from streaming.proposal.infer import Field, Proposal, proposal
from streaming.proposal.render import share

MORNING = 1_769_839_200_000


def event(number: int, **payload: Any) -> dict[str, Any]:
    head = {"event_id": str(UUID(int=number)), "event_type": "reading_taken", "event_time": MORNING + number}
    return head | {"schema_version": 1, "sensor_id": f"s-{number % 30}"} | payload


def of(*events: Any, key: str = "sensor_id") -> Proposal:
    values = [
        (str(one.get(key)).encode() if isinstance(one, dict) else None, json.dumps(one).encode()) for one in events
    ]
    return proposal("readings", values)


def field(found: Proposal, name: str) -> Field:
    return next(one for one in found.fields if one.name == name)


def test_events_of_the_platforms_own_form_are_known_by_their_names() -> None:
    found = of(*(event(number, millidegrees=-500 + number * 100) for number in range(100)))
    assert [
        (one.field, one.share, one.of) for one in (found.event_id, found.event_time, found.event_type, found.key) if one
    ] == [
        ("event_id", 1.0, "different UUIDs"),
        ("event_time", 1.0, "epoch milliseconds"),
        ("event_type", 1.0, "1 different texts"),
        ("sensor_id", 1.0, "equal to the record's key"),
    ]
    assert found.required == {"reading_taken": ("sensor_id", "millidegrees")}
    assert [(one.name, one.ddl, one.rule and one.rule.arguments) for one in found.fields] == [
        ("sensor_id", "string", ("s-[0-9]{1,2}",)),
        ("millidegrees", "bigint", (-1000, 10000)),
    ]
    assert found.examples == {"reading_taken": {"sensor_id": "s-0", "millidegrees": -500}}


def test_one_record_again_and_again_is_told_as_it_is() -> None:
    found = of(*([event(7, room="attic")] * 20))
    assert found.event_id is None, "the same id in each record is none"
    assert field(found, "room").rule == ("matches", ("attic",), "1 different", 1.0)


def test_records_that_have_nothing_in_common_require_nothing() -> None:
    found = of(*({f"field_{number}": number} for number in range(50)))
    assert found.required == {"": ()}
    assert (found.event_id, found.event_time, found.event_type, found.key) == (None, None, None, None)
    assert len(found.fields) == 50
    many = of(*({f"field_{number}": number} for number in range(500)))
    assert (len(many.fields), len(many.left_out)) == (300, 200)


def test_each_part_has_the_share_of_records_that_it_fits() -> None:
    broken = [event(number, celsius="warm") for number in range(3)]
    found = of(*broken, *(event(number, celsius=number / 2, room=None) for number in range(3, 97)), "text", [1], 7)
    assert (found.records, found.objects) == (100, 97)
    assert (field(found, "celsius").ddl, field(found, "celsius").fits) == ("double", 94 / 97)
    assert found.required == {"reading_taken": ("sensor_id", "celsius")}
    assert "room" not in [one.name for one in found.fields], "nothing is known of a field that is always null"
    assert found.examples["reading_taken"]["celsius"] == 1.5


def test_what_is_missing_or_null_in_many_is_not_required() -> None:
    rare = (event(number, **({"battery": 5} if number % 2 else {"battery": None})) for number in range(100))
    found = of(*rare)
    assert field(found, "battery").present == 0.5
    assert found.required == {"reading_taken": ("sensor_id",)}


def test_objects_and_arrays_are_columns_of_their_own_types() -> None:
    items = [{"product": "p-1", "count": 2, "tags": ["a"], "sizes": [1, None, 2], "none": None, "e-mail": "x"}]
    found = of(*(event(number, items=items, place={"at": {"x": 1.5, "y": 2}}, empty=[]) for number in range(3)))
    assert field(found, "items").ddl == (
        "array<struct<product:string,count:bigint,tags:array<string>,sizes:array<bigint>,none:string>>"
    )
    assert field(found, "place").ddl == "struct<at:struct<x:double,y:bigint>>"
    assert field(found, "empty").ddl == "array<string>"


def test_numbers_in_texts_stay_texts_with_a_pattern() -> None:
    found = of(*(event(number, amount=f"{number}.50") for number in range(100)))
    assert field(found, "amount").ddl == "string"
    assert field(found, "amount").rule == ("matches", ("[0-9]{1,2}\\.[0-9]{2}",), "of one form", 1.0)


def test_names_that_are_no_columns_are_left_out_with_a_reason() -> None:
    hostile = {"e-mail": 1, "a b": 1, "x`; DROP": 1, '"""': 1, "": 1, "1st": 1, "NAME": 1, "é": 1}
    found = of(*(event(number, name="n", **(hostile if number else {})) for number in range(9)))
    assert [one.name for one in found.fields] == ["sensor_id", "name"]
    assert found.left_out.keys() == {*hostile}
    rare = of(*(event(number, **({"rare": 1} if number > 7 else {"": 1})) for number in range(9)))
    assert [one.name for one in rare.fields] == ["sensor_id", "rare"]
    assert "capitals" in found.left_out["NAME"]
    assert "letters, digits and _" in found.left_out['"""']


def test_other_names_of_id_time_and_type_are_found() -> None:
    rows = (
        {"uid": str(UUID(int=number)), "ts": 1_769_839_200 + number, "kind": "ab"[number % 2], "n": number}
        for number in range(40)
    )
    found = of(*rows, key="n")
    assert [(one.field, one.of) for one in (found.event_id, found.event_time, found.event_type, found.key) if one] == [
        ("uid", "different UUIDs"),
        ("ts", "epoch seconds"),
        ("kind", "2 different texts"),
        ("n", "equal to the record's key"),
    ]
    assert {*found.required} == {"a", "b"}
    assert of({"at": "2026-01-31T06:00:00Z"}).event_time.of == "ISO 8601"  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("records", "why"),
    [
        ([], "has no record"),
        ([(None, b"warm"), (None, None), (b"k", b"[1]"), (b"k", b"\xff"), (b"k", b"[" * 50_000)], "none of 5 records"),
    ],
)
def test_a_topic_without_an_object_is_a_sentence(records: list[tuple[bytes | None, bytes | None]], why: str) -> None:
    with pytest.raises(PermanentFailure, match=why):
        proposal("readings", records)


def test_a_share_is_never_all_if_one_is_missing() -> None:
    assert [share(part) for part in (1, 0.99999, 0.987, 0.00001, 0)] == [
        "100.0%",
        "almost all",
        "98.7%",
        "almost none",
        "0.0%",
    ]
