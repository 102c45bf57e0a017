"""A table whose form another client has changed is not written; it is named, and set back without the loss of a row."""

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from deltalake import DeltaTable
from pyspark.sql import SparkSession
from pyspark.sql.types import DateType, LongType, StructField, StructType

from infra import problems
from infra.failures import PermanentFailure
from infra.lake import form, set_back, spark_tables, upkeep
from infra.lake.tables import Table
from infra.lake.writes import append_once, replace_days
from infra.settings import Settings

TABLE = Table(
    "silver",
    "numbers",
    StructType([StructField("day", DateType()), StructField("n", LongType())]),
    constraints=(("small", "n < 100"),),
)
ROWS = pa.table({"day": pa.array([None], pa.date32()), "n": pa.array([1], pa.int64())})


@pytest.fixture(autouse=True)
def s(local_lake: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    """A lake in a folder, with one table that our writer has written once."""
    own = Settings(home=local_lake / "home")
    for module in (form, set_back):
        monkeypatch.setattr(module, "settings", lambda: own)
    spark_tables.create(None, TABLE)  # type: ignore[arg-type]
    append_once(ROWS, TABLE, "stream", 1)
    return own


def no_spark() -> SparkSession:
    raise AssertionError("it takes seconds to start, and these need none")


def folder() -> Path:
    return Path(TABLE.path.removeprefix("file:"))


def opened() -> DeltaTable:
    return DeltaTable(folder())


def numbers() -> list[int]:
    return sorted(opened().to_pyarrow_table()["n"].to_pylist())


def by_another(protocol: dict[str, Any] | None = None, operation: str = "SET TBLPROPERTIES", **properties: str) -> None:
    """A commit as Spark's ALTER TABLE makes it: other properties, and the protocol that they need."""
    at, known = (
        opened(),
        [json.loads(line) for file in sorted(folder().glob("_delta_log/*.json")) for line in file.open()],
    )
    meta = [one["metaData"] for one in known if "metaData" in one][-1]
    configuration = dict(at.metadata().configuration) | {
        name.replace("__", "."): value for name, value in properties.items()
    }
    actions: list[dict[str, Any]] = [
        {"commitInfo": {"timestamp": 0, "operation": operation, "operationParameters": {}}}
    ]
    schema = json.loads(meta["schemaString"])
    if "delta.columnMapping.mode" in configuration:
        for number, field in enumerate(schema["fields"], 1):
            named = {"delta.columnMapping.id": number, "delta.columnMapping.physicalName": field["name"]}
            field["metadata"] |= named
    actions += [{"protocol": protocol}] if protocol else []
    actions += [{"metaData": meta | {"configuration": configuration, "schemaString": json.dumps(schema)}}]
    name = f"_delta_log/{at.version() + 1:020}.json"
    (folder() / name).write_text("".join(f"{json.dumps(one)}\n" for one in actions))


BY_NAME = {"delta__columnMapping__mode": "name", "delta__columnMapping__maxColumnId": "2"}
MAPPED = {"minReaderVersion": 2, "minWriterVersion": 5}


def test_a_table_as_we_made_it_has_nothing_foreign() -> None:
    assert form.foreign(TABLE, opened()) == []


@pytest.mark.parametrize(
    ("protocol", "properties", "named"),
    [
        (MAPPED, BY_NAME, "delta.columnMapping.mode=name"),
        (None, {"delta__appendOnly": "true"}, "delta.appendOnly=true"),
        (None, {"delta__enableDeletionVectors": "true"}, "delta.enableDeletionVectors=true"),
        (None, {"delta__enableChangeDataFeed": "true"}, "delta.enableChangeDataFeed=true"),
        (None, {"delta__enableRowTracking": "true"}, "delta.enableRowTracking=true"),
        (None, {"delta__enableTypeWidening": "true"}, "delta.enableTypeWidening=true"),
        (None, {"delta__constraints__other": "n > 5"}, "delta.constraints.other=n > 5"),
        (
            None,
            {"delta__deletedFileRetentionDuration": "interval 0 hours"},
            "delta.deletedFileRetentionDuration=interval 0 hours",
        ),
        (None, {"delta__logRetentionDuration": "interval 0 hours"}, "delta.logRetentionDuration=interval 0 hours"),
        ({"minReaderVersion": 1, "minWriterVersion": 6}, {}, "writer version 6"),
        (
            {
                "minReaderVersion": 3,
                "minWriterVersion": 7,
                "readerFeatures": ["deletionVectors"],
                "writerFeatures": ["deletionVectors"],
            },
            {},
            "table feature deletionVectors",
        ),
    ],
)
def test_what_another_client_set_is_named_before_a_write(
    s: Settings, protocol: dict[str, Any] | None, properties: dict[str, str], named: str
) -> None:
    by_another(protocol, **properties)
    before = opened().version()
    for write in (
        lambda: append_once(ROWS, TABLE, "stream", 2),
        lambda: replace_days(ROWS.slice(0, 0), TABLE, []),
        lambda: upkeep.compact(TABLE),
    ):
        with pytest.raises(PermanentFailure, match=r"daybreak set-back silver\.numbers") as refused:
            write()
        assert named in str(refused.value)
    assert opened().version() == before
    (kept,) = problems.problems(s)
    assert (kept.id, kept.mend) == (
        "table.form/silver.numbers",
        "daybreak set-back silver.numbers, then daybreak restart stream",
    )
    assert named in kept.what


def test_the_start_of_a_writer_sees_what_is_right_again(s: Settings) -> None:
    by_another(MAPPED, **BY_NAME)
    with pytest.raises(PermanentFailure, match=r"silver\.numbers"):
        form.refuse_all_foreign([(TABLE, opened())])
    assert [one.id for one in problems.problems(s)] == ["table.form/silver.numbers"]
    opened().restore(opened().version() - 1, protocol_downgrade_allowed=True)
    form.refuse_all_foreign([(TABLE, opened())])
    assert problems.problems(s) == []


def test_a_table_set_back_keeps_its_rows_and_takes_new_ones(s: Settings) -> None:
    by_another(MAPPED, **BY_NAME)
    by_another(None, delta__appendOnly="true")
    with pytest.raises(PermanentFailure):
        append_once(ROWS, TABLE, "stream", 2)
    done = set_back.set_back(TABLE, no_spark)
    assert done
    assert done.undone == ("SET TBLPROPERTIES", "SET TBLPROPERTIES")
    assert problems.problems(s) == []
    append_once(ROWS, TABLE, "stream", 2)
    append_once(ROWS, TABLE, "stream", 2)
    assert (numbers(), form.foreign(TABLE, opened())) == ([1, 1], [])
    assert set_back.set_back(TABLE, no_spark) is None


def test_rows_written_since_are_undone_only_if_asked() -> None:
    by_another(None, operation="WRITE", delta__appendOnly="true")
    with pytest.raises(PermanentFailure, match="--with-rows"):
        set_back.set_back(TABLE, no_spark)
    done = set_back.set_back(TABLE, no_spark, with_rows=True)
    assert done
    assert (done.undone, numbers()) == (("WRITE",), [1])


def test_a_look_at_the_form_asks_the_store_for_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    at = opened()
    # Whatever asked for a file would fail.
    folder().rename(folder().with_name("gone"))
    form.refuse_foreign(TABLE, at)


def test_a_note_in_a_property_is_no_change_of_form() -> None:
    by_another(None, daybreak__generation="g-1")
    append_once(ROWS, TABLE, "stream", 2)
    assert form.foreign(TABLE, opened()) == []
