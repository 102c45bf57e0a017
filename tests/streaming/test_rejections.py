"""Rejected records are counted by topic and reason, are forgotten after ten minutes, and alarm once they are no accident."""

import json
import re
import shlex
from collections.abc import Callable

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from infra.commands.query import READS
from streaming.quarantine.rejections import FEWEST, MINUTES, Rejections, query
from streaming.reasons import Reason
from streaming.tables.silver import QUARANTINE

ROWS = pa.schema([("topic", pa.string()), ("reasons", pa.list_(pa.string()))])
JSON, VERSION, TYPE = Reason.NOT_JSON.value, Reason.UNKNOWN_VERSION.value, Reason.UNKNOWN_TYPE.value


class Stream:
    """Micro-batches at `minute`: `send(good, bad)` are numbers of good records, and the reasons of each bad one, by topic."""

    def __init__(self, share: float = 0.05, captured: tuple[str, ...] = ()) -> None:
        self.minute = 100.0
        self.rejections = Rejections(share, captured, lambda: self.minute * 60)

    def send(self, good: dict[str, int], bad: dict[str, list[list[str]]] | None = None) -> None:
        rejected = [{"topic": topic, "reasons": found} for topic, each in (bad or {}).items() for found in each]
        valid = [{"topic": topic, "reasons": []} for topic, count in good.items() for _ in range(count)]
        # As Spark gives them: in several chunks.
        table = lambda rows: pa.concat_tables(pa.Table.from_pylist([row], ROWS) for row in rows)  # noqa: E731
        self.rejections.count(table([*valid, *rejected]), table(rejected) if rejected else None)

    def alarms(self) -> list[str]:
        """What is said, without the command."""
        return [one.partition(": daybreak")[0] for one in self.rejections.notices()]


def test_a_notice_counts_records_and_every_reason() -> None:
    stream = Stream()
    stream.send({"commands": 4, "orders": 9}, {"commands": [[JSON], [VERSION, TYPE]]})
    assert stream.alarms() == []
    stream.send({"commands": 1}, {"commands": [[VERSION]], "orders": [[JSON]]})
    said = "commands: 3 of 8 records of the last 10 minutes are in quarantine"
    assert stream.alarms() == [f"{said} (unknown_version 2, not_json 1, unknown_type 1)"]


@pytest.mark.parametrize(
    ("good", "bad", "is_alarm"),
    [(0, FEWEST, True), (0, FEWEST - 1, False), (57, 3, True), (58, 3, False), (950, 50, True), (951, 49, False)],
    ids=["all of three", "all of two", "3 of 60", "3 of 61", "50 of 1000", "49 of 1000"],
)
def test_a_topic_alarms_from_a_share_of_its_records_on(good: int, bad: int, is_alarm: bool) -> None:
    stream = Stream(share=0.05)
    stream.send({"commands": good, "orders": 5_000}, {"commands": [[JSON]] * bad})
    assert bool(stream.alarms()) is is_alarm


def test_a_captured_table_alarms_with_its_first_rejected_change() -> None:
    stream = Stream(captured=("shop.public.products",))
    stream.send(
        {"shop.public.products": 999, "orders": 3}, {"shop.public.products": [["key_missing"]], "orders": [[JSON]]}
    )
    said = "shop.public.products: 1 of 1,000 records of the last 10 minutes is in quarantine (key_missing 1)"
    assert stream.alarms() == [said]


def test_after_ten_minutes_rejections_are_forgotten() -> None:
    stream = Stream()
    stream.send({}, {"commands": [[JSON]] * FEWEST})
    stream.minute += MINUTES - 1
    stream.send({"orders": 1})
    assert len(stream.alarms()) == 1
    stream.minute += 1
    assert stream.alarms() == []


def test_what_is_kept_does_not_grow_with_records_or_time() -> None:
    stream = Stream()
    for _ in range(50):
        stream.send({"orders": 20}, {"orders": [[JSON, VERSION]] * 20})
        stream.minute += 1
    assert len(stream.rejections._minutes) == MINUTES
    assert {len(counts.reasons) for counts in stream.rejections._minutes.values()} == {2}


def test_the_log_has_one_line_for_each_alarm(capsys: pytest.CaptureFixture[str]) -> None:
    stream = Stream()
    logged: Callable[[], list[str]] = lambda: re.findall(r"(?m)^daybreak stream: (\w+): ", capsys.readouterr().err)  # noqa: E731
    for _ in range(5):
        stream.send({"orders": 2}, {"commands": [[JSON]] * FEWEST})
    assert logged() == ["commands"]
    stream.send({}, {"commands": [[JSON]], "orders": [[JSON]] * 20})
    assert logged() == ["orders"]
    stream.minute += MINUTES
    stream.send({}, {"commands": [[JSON]] * FEWEST})
    assert logged() == ["commands"]


@pytest.mark.parametrize("topic", ["commands", "shop.public.products"])
def test_the_command_of_a_notice_shows_the_records(spark: SparkSession, topic: str) -> None:
    stream = Stream()
    stream.send({}, {topic: [[JSON]] * FEWEST})
    (said,) = stream.rejections.notices()
    program, command, sql = shlex.split(said.partition("): ")[2])
    assert (program, command, sql) == ("daybreak", "query", query(topic))
    assert READS.match(sql)
    values = ((one, f'{{"topic": {json.dumps(one)}}}'.encode(), ["not_json"]) for one in (topic, "another"))
    rows = spark.createDataFrame(
        [{"topic": one, "value": value, "reasons": reasons} for one, value, reasons in values], QUARANTINE.schema
    )
    rows.createOrReplaceTempView("quarantined")
    (found,) = spark.sql(sql.replace(QUARANTINE.sql, "quarantined")).collect()
    assert (found["reasons"], json.loads(found["sent"])) == (["not_json"], {"topic": topic})
