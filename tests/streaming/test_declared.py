"""A contract or a view that says nonsense is refused where it stands, in one sentence with file and line."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from own_project import CONTRACTS, VIEWS, Made, projects

from infra.failures import PermanentFailure
from streaming import project


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Made]:
    with projects(tmp_path, monkeypatch) as write:
        yield write


MORE = """
import dataclasses
from streaming.contracts.captured import Captured
from streaming.contracts.contract import Rule, Version
"""
ROOMS = """
import dataclasses
ROOM = struct(column("room", "string", "The room"))
ROOMS = dataclasses.replace(READINGS, topic="rooms", key="room", payload=ROOM, required={"made": ("room",)}, rules=())
CONTRACTS = (READINGS, ROOMS)
"""


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ("masked='sensor_id'", r"`masked` should be a valid tuple, and is 'sensor_id' \(str\)"),
        ("masked=('sensor',)", r"masked names `sensor`, and the payload has no such field"),
        ("reads_newer='no'", r"`reads_newer` should be a valid boolean, and is 'no' \(str\)"),
        ("encoding='avr'", r"`encoding` should be 'json', 'avro', 'protobuf' or 'debezium', and is 'avr'"),
        ("encoding='debezium'", r"encoding is 'debezium' if there is `captured`, and only then"),
        ("topic=None", r"contract None: `topic` should be a valid string"),
        ("topic='my readings'", r"Kafka takes a topic of at most 249 letters"),
        ("key='sensor'", r"the key is `sensor`, and the payload has no such field"),
        ("payload=READINGS.payload.fields", r"`payload` should be an instance of StructType, and is \[.*\] \(list\)"),
        ("payload=struct(*READINGS.payload, *READINGS.payload)", r"the payload has two fields `sensor_id`"),
        (
            "required={'taken': 'sensor_id'}",
            r"`required\['taken'\]` should be a valid tuple, and is 'sensor_id' \(str\)",
        ),
        ("required={'taken': ('sensor',)}", r"taken requires `sensor`, and the payload has no such field"),
        ("required={}", r"`required` names no event type, so every record would be rejected"),
        ("rules=matches('sensor_id', 's')", r"`rules` should be a valid tuple, and is .*\(Rule\)"),
        ("rules=(READINGS.rules,)", r"`rules\[0\]` should be an instance of Rule, and is .*\(tuple\)"),
        ("rules=(matches('sensor', 's'),)", r"a rule is about `sensor`, and the payload has no such field"),
        ("rules=(Rule('bad', abs),)", r"ValueError: Rule: `reason` should be an instance of Reason, and is 'bad'"),
        ("later=(Version('2', ()),)", r"ValueError: Version 2: `number` should be a valid integer, and is '2' \(str\)"),
        (
            "captured=Captured('sensor_id', {})",
            r"ValueError: Captured: `key` should be a valid tuple, and is 'sensor_id'",
        ),
        (
            "encoding='debezium', captured=Captured(('sensor_id',), {'c': 'taken'})",
            r"an event type for each of c, u and d",
        ),
    ],
)
def test_a_contract_of_nonsense_is_refused_with_file_and_line(made: Made, changes: str, why: str) -> None:
    own = made(contracts=f"{MORE}{CONTRACTS}\nCONTRACTS = (dataclasses.replace(READINGS, {changes}),)\n")
    with pytest.raises(PermanentFailure, match=why) as told:
        project.contracts()
    assert str(told.value).startswith(
        f"the project {own.module} does not load ({own.folder}/contracts.py, line 19): ValueError: "
    )


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ("alerts='no'", r"view last: `alerts` should be a valid boolean, and is 'no' \(str\)"),
        ("name='last one'", r"view last one: a name has letters, digits and _, and begins with no digit"),
        ("inputs='readings'", r"`inputs` should be a valid tuple, and is 'readings' \(str\)"),
        ("inputs=()", r"it has at least one input, and one column as its key"),
        ("key=()", r"it has at least one input, and one column as its key"),
        ("key='sensor_id'", r"`key` should be a valid tuple"),
        ("define='last'", r"`define` should be callable, and is 'last' \(str\)"),
        (
            "columns=(*LAST.columns, 'note')",
            r"`columns\[3\]` should be an instance of StructField, and is 'note' \(str\)",
        ),
        ("columns=(*LAST.columns, LAST.columns[0])", r"two columns have the name sensor_id"),
        ("time='sensor_id'", r"sensor_id is its rows' time and is no timestamp"),
        ("reach=60", r"`reach` should be a valid timedelta, and is 60 \(int\)"),
        ("reach=timedelta(-1)", r"reach, pause and overlap are not below 0"),
        ("measures=('n', 5)", r"`measures\[1\]` should be a valid string"),
        (
            "law='ByPart'",
            r"`law` should be an instance of Additive or be an instance of ByPart or be an instance of ByWindow",
        ),
        ("law=ByPart(('sensor_id',))", r"ValueError: ByPart: `column` should be a valid string"),
        ("law=ByPart('sensor')", r"view last: sensor is not among its columns"),
        ("law=Additive('n')", r"ValueError: Additive: `sums` should be a valid tuple, and is 'n'"),
        ("law=ByWindow(60)", r"ValueError: ByWindow: `size` should be a valid timedelta, and is 60"),
        ("changelogs=('readings',)", r"`changelogs` should be a valid dictionary"),
        ("while_open={'n': ('0',)}", r"`while_open\['n'\]`: Field required"),
        ("prefer='n'", r"`prefer` should be a valid tuple"),
    ],
)
def test_a_view_of_nonsense_is_refused_with_file_and_line(made: Made, changes: str, why: str) -> None:
    more = "import dataclasses\nfrom streaming.views.law import Additive, ByWindow\n"
    own = made(views=f"{more}{VIEWS}\nVIEWS = (dataclasses.replace(LAST, {changes}),)\n")
    with pytest.raises(PermanentFailure, match=why) as told:
        project.views()
    assert str(told.value).startswith(
        f"the project {own.module} does not load ({own.folder}/views.py, line 16): ValueError: "
    )


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        (
            "inputs=('readings', 'rooms')",
            "the view last is by the part `sensor_id`, and events of rooms have no such field",
        ),
        (
            "inputs=('readings', 'rooms'), changelogs={'rooms': 'room'}",
            "the view last looks keys of rooms up by `room`, and no event of readings has such a field",
        ),
    ],
)
def test_a_view_that_looks_for_what_no_event_has_is_refused(made: Made, changes: str, why: str) -> None:
    made(
        contracts=CONTRACTS + ROOMS,
        views=f"import dataclasses\n{VIEWS}\nVIEWS = (dataclasses.replace(LAST, {changes}),)\n",
    )
    with pytest.raises(PermanentFailure, match=why):
        project.views()
