"""A checkpoint whose newest files lost their bytes with the power: what is repeated, and what is refused."""

from pathlib import Path
from types import SimpleNamespace

import pytest
from pyspark.sql import DataFrame, SparkSession

from infra.failures import PermanentFailure
from streaming.positions import checkpoint
from streaming.positions.checkpoint import Checkpoints
from streaming.recovery import power_loss
from streaming.recovery.power_loss import COMMIT, PLAN, _is_whole

BATCHES = 3


@pytest.fixture
def checkpoints(spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Checkpoints:
    """Of a query of Spark's that has done micro-batches 0 to 2, a file in each."""
    monkeypatch.setattr(checkpoint, "settings", lambda: SimpleNamespace(checkpoints=f"{tmp_path}/checkpoints"))
    (tmp_path / "in").mkdir()
    for number in range(BATCHES):
        (tmp_path / "in" / f"{number}.json").write_text(f'{{"a": {number}}}\n')
    assert ran(spark, tmp_path) == [0, 1, 2]
    return Checkpoints(spark)


def ran(spark: SparkSession, folder: Path) -> list[int]:
    """The micro-batches of a run up to the end of what is there."""
    done: list[int] = []

    def note(rows: DataFrame, batch_id: int) -> None:
        done.append(batch_id)

    read = spark.readStream.schema("a long").option("maxFilesPerTrigger", 1).json(f"{folder}/in")
    own = read.writeStream.foreachBatch(note).option("checkpointLocation", f"{folder}/checkpoints/q")
    own.trigger(availableNow=True).start().awaitTermination()
    return done


@pytest.mark.parametrize("left", [b"", b"\x00" * 29, b"v1\n{"], ids=["empty", "zeros", "half"])
def test_a_commit_that_was_cut_off_is_repeated(
    checkpoints: Checkpoints, spark: SparkSession, tmp_path: Path, left: bytes
) -> None:
    (tmp_path / "checkpoints" / "q" / "commits" / "2").write_bytes(left)
    power_loss.check(checkpoints, "q")
    assert checkpoints.committed("q") == 1
    assert ran(spark, tmp_path) == [2]


@pytest.mark.parametrize(("batch_id", "left"), [(2, b""), (1, b""), (2, b"v1\n{}"), (3, b""), (1, None)])
def test_a_plan_that_was_cut_off_is_refused(
    checkpoints: Checkpoints, tmp_path: Path, batch_id: int, left: bytes | None
) -> None:
    plan = tmp_path / "checkpoints" / "q" / "offsets" / str(batch_id)
    if left is None:
        plan.unlink()
    else:
        plan.write_bytes(left)
    state = "missing" if left is None else "cut off"
    with pytest.raises(PermanentFailure, match=rf"offsets/{batch_id} is {state}.*python -m streaming rebuild"):
        power_loss.check(checkpoints, "q")


def test_a_whole_checkpoint_and_none_are_left_alone(checkpoints: Checkpoints, tmp_path: Path) -> None:
    power_loss.check(checkpoints, "q")
    power_loss.check(checkpoints, "never-ran")
    assert checkpoints.committed("q") == BATCHES - 1


@pytest.mark.parametrize(
    ("text", "lines", "is_whole"),
    [
        ('v1\n{"nextBatchWatermarkMs":0}', COMMIT, True),
        ('v1\n{"batchTimestampMs":1}\n{"orders":{"0":5}}', PLAN, True),
        ('v1\n{"batchTimestampMs":1}', PLAN, False),
        ('v1\n{"batchTimestampMs":1}\n{"orders":{"0":5', PLAN, False),
        ("v1", COMMIT, False),
        ("\x00\x00\x00", COMMIT, False),
        ("", COMMIT, False),
        (None, COMMIT, False),
    ],
)
def test_a_file_is_whole_with_all_its_lines(text: str | None, lines: int, is_whole: bool) -> None:
    assert _is_whole(text, lines) == is_whole
