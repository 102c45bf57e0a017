"""No failure loops in silence: the third end at one micro-batch is said, in the log, the status and the report."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from sample import sample

from batch.report.figures import figures
from batch.report.operations import lag
from infra.failing import REPEATED, WHAT_TO_DO, failed, failing, succeeded
from infra.settings import load, settings

PROXY = "An exception was raised by the Python Proxy. Return Message: Traceback (most recent call last):\n  File\n{}"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv("DAYBREAK_HOME", str(tmp_path))
    settings.cache_clear()
    yield tmp_path
    settings.cache_clear()


def test_the_third_end_at_a_micro_batch_is_said_with_its_cause(capsys: pytest.CaptureFixture[str]) -> None:
    cause = PROXY.format("ValueError: a cut too deep")
    assert [failed(17, "orders-0 from 200", cause) for _ in range(2)] == [1, 2]
    assert (failing(load()), capsys.readouterr().err) == (None, "")
    assert failed(17, "orders-0 from 200", cause) == REPEATED
    one = failing(load())
    assert one
    assert (one.batch, one.count, one.cause) == (17, 3, "a cut too deep")
    assert one.place.startswith("micro-batch 17 (orders-0 from 200), 3 times since 20")
    said = capsys.readouterr().err
    assert said == f"daybreak: the stream is failing ({one.place}). {WHAT_TO_DO}.\n"


def test_another_micro_batch_begins_anew_and_a_finished_one_ends_it() -> None:
    for _ in range(REPEATED):
        failed(17, "", "a")
    assert failed(18, "", "a") == 1
    assert failing(load()) is None
    for _ in range(REPEATED):
        failed(18, "", "b")
    assert failing(load()) is not None
    succeeded()
    succeeded()
    assert failing(load()) is None
    assert failed(18, "", "b") == 1


def test_a_stream_that_never_comes_to_a_micro_batch_is_said_too() -> None:
    assert [failed(None, "", "Kafka does not answer") for _ in range(REPEATED)][-1] == REPEATED
    one = failing(load())
    assert one
    assert one.place.startswith("before a micro-batch, 3 times since ")


def test_the_report_says_what_the_stream_fails_at() -> None:
    for _ in range(REPEATED):
        failed(17, "", "a cut too deep")
    answer = lag(figures(replace(sample(), failing=failing(load())))).answer
    assert answer.startswith("When this was written the stream was failing: micro-batch 17, 3 times since ")
    assert "a cut too deep" in answer
    assert "daybreak logs stream" in answer
