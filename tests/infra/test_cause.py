"""A cause in one sentence, of texts as Spark 4.2, Py4J and the Thrift server give them."""

import pytest

from infra.cause import sentence, unwrapped
from infra.failures import PERMANENT_EXIT, PermanentFailure, TransientFailure, reported

PROXY = """[STREAM_FAILED] Query [id = f03109cf, runId = 88f2686c] terminated with exception: \
[FOREACH_BATCH_USER_FUNCTION_ERROR] An error occurred in the user provided function in foreach batch sink. Reason: \
An exception was raised by the Python Proxy. Return Message: Traceback (most recent call last):
  File "/x/py4j/clientserver.py", line 644, in _call_proxy
    return_value = getattr(self.pool[obj_id], method)(*params)
                   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
  File "/x/ingest.py", line 5, in __call__
    raise it
{}
 SQLSTATE: 39000 SQLSTATE: XXKST
=== Streaming Query ===
Identifier: [id = f03109cf, runId = 88f2686c]
Current Available Offsets: {{KafkaV2[Subscribe[orders, payments]]: {{"orders":{{"0":15000}}}}}}

Logical Plan:
~WriteToMicroBatchDataSourceV1 ForeachBatchSink, f03109cf, [checkpointLocation=/tmp/tmph2lghv7o], Append
"""
DIVIDED = "[DIVIDE_BY_ZERO] Division by zero. Use `try_divide` to tolerate divisor being 0 and return NULL instead."
SAID = {
    "python": (PROXY.format("ValueError: the table has no column watermark"), "the table has no column watermark"),
    "another name than error": (
        PROXY.format("pyarrow.lib.ArrowInvalid: cannot construct ChunkedArray from empty vector and omitted type"),
        "cannot construct ChunkedArray from empty vector and omitted type",
    ),
    "a failure of ours": (
        PROXY.format("infra.failures.PermanentFailure: offset 7 is gone."), "offset 7 is gone.",
    ),
    "java within python": (
        PROXY.format(
            "py4j.protocol.Py4JJavaError: An error occurred while calling o90.filter.\n: java.lang.StackOverflowError\n"
            "\tat scala.collection.immutable.ArraySeq.map(ArraySeq.scala:75)"
        ),
        "StackOverflowError",
    ),
    "the cause at the bottom": (
        PROXY.format(
            "py4j.protocol.Py4JJavaError: An error occurred while calling o90.save.\n: org.apache.spark.SparkException: Job "
            "aborted.\n\tat a.b(C.scala:1)\nCaused by: java.io.IOException: No space left on device\n\tat a.b(C.scala:2)"
        ),
        "No space left on device",
    ),
    "spark within python": (
        PROXY.format(
            f"pyspark.errors.exceptions.captured.ArithmeticException: {DIVIDED} SQLSTATE: 22012\n"
            "== SQL (line 1, position 1) ==\n1/(value-value)"
        ),
        DIVIDED,
    ),
    "python's last word": (
        PROXY.format(
            "ValueError: a\n\nThe above exception was the direct cause of the following exception:\n\n"
            "Traceback (most recent call last):\n  File \"x.py\", line 1, in e\nRuntimeError: bronze is not written: a;\n'Project"
        ),
        "bronze is not written: a;",
    ),
    "a query without python": (
        "[STREAM_FAILED] Query [id = f0, runId = 88] terminated with exception: Partition orders-0's offset was changed "
        "from 10 to 5. SQLSTATE: XXKST\n=== Streaming Query ===",
        "Partition orders-0's offset was changed from 10 to 5.",
    ),
    "a task": (
        "org.apache.spark.SparkException: Job aborted due to stage failure: Task 0 in stage 1.0 failed 1 times, most recent "
        "failure: Lost task 0.0 in stage 1.0 (TID 1) (127.0.0.1 executor driver): java.io.IOException: disk full\n\tat a.b",
        "disk full",
    ),
    "a syntax error": (
        "Error running query: [PARSE_SYNTAX_ERROR] org.apache.spark.sql.catalyst.parser.ParseException: \n"
        "[PARSE_SYNTAX_ERROR] Syntax error at or near 'SELEC'. SQLSTATE: 42601 (line 1, pos 0)\n\n== SQL ==\nSELEC 1\n^^^\n",
        "[PARSE_SYNTAX_ERROR] Syntax error at or near 'SELEC'. (line 1, pos 0)",
    ),
    "a sentence over two lines": (
        "Error running query: [DELTA_X] org.apache.spark.sql.delta.DeltaErrorsBase$TimestampEarlierThanCommitRetentionException: "
        "[DELTA_X] The provided timestamp is before the earliest version available to\nthis table (2026). Use a later one.",
        "[DELTA_X] The provided timestamp is before the earliest version available to this table (2026). Use a later one.",
    ),
    "a plan behind it": (
        "Error running query: [UNRESOLVED_COLUMN.WITH_SUGGESTION] org.apache.spark.sql.AnalysisException: "
        "[UNRESOLVED_COLUMN.WITH_SUGGESTION] `x` cannot be resolved. SQLSTATE: 42703; line 1 pos 7;\n'Project ['x]\n",
        "[UNRESOLVED_COLUMN.WITH_SUGGESTION] `x` cannot be resolved.",
    ),
    "plain": ("the disk is full", "the disk is full"),
    "nothing": ("", ""),
}  # fmt: skip


@pytest.mark.parametrize("name", SAID)
def test_the_cause_is_one_sentence(name: str) -> None:
    said, cause = SAID[name]
    assert sentence(said) == cause


def test_what_is_not_wrapped_stays_as_it_is() -> None:
    said = "stream ended by itself; its last lines:\nValueError: x\nsecond"
    assert unwrapped(said) == said


@pytest.mark.parametrize(
    ("kind", "code", "end"), [(TransientFailure, 1, " (temporary: retry)"), (PermanentFailure, PERMANENT_EXIT, "")]
)
def test_a_failure_is_reported_by_its_innermost_cause(
    capsys: pytest.CaptureFixture[str], kind: type[Exception], code: int, end: str
) -> None:
    with pytest.raises(SystemExit) as ended, reported():
        raise kind("the query ingest failed: " + PROXY.format("ValueError: no column watermark"))
    assert ended.value.code == code
    assert capsys.readouterr().err == f"daybreak: the query ingest failed: no column watermark{end}\n"


def test_a_drawn_chain_of_causes_is_one_line() -> None:
    arrow = "\n    \x1b[31m↳\x1b[0m "
    said = f"silver/events cannot be opened: Kernel error{arrow}Error performing list request{arrow}HTTP error"
    assert unwrapped(said) == "silver/events cannot be opened: Kernel error: Error performing list request: HTTP error"
