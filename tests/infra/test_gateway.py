"""The gateway's client: reasons in one sentence.

Data flow: what Spark and the store answer -> failures, names
Run: pytest tests/infra/test_gateway.py
"""

import socket
from collections.abc import Sequence
from types import SimpleNamespace

import pytest
from pyhive import exc
from thrift.transport.TTransport import TTransportException

from infra.failures import PermanentFailure, TransientFailure
from infra.settings import Settings
from infra.sql import gateway


@pytest.fixture
def free_port() -> int:
    """A port on which nothing listens."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        (
            "Error running query: [TABLE_OR_VIEW_NOT_FOUND] org.apache.spark.sql.AnalysisException: "
            "[TABLE_OR_VIEW_NOT_FOUND] The table `x` cannot be found.\n; line 1 pos 14",
            f"[TABLE_OR_VIEW_NOT_FOUND] The table `x` cannot be found. ({gateway.UNKNOWN_TABLE})",
        ),
        ("Error running query: java.io.IOException: No space left on device", "No space left on device"),
        (
            "Error running query: [PARSE_SYNTAX_ERROR] org.apache.spark.sql.catalyst.parser.ParseException: \n"
            "[PARSE_SYNTAX_ERROR] Syntax error at or near 'SELEC'. SQLSTATE: 42601 (line 1, pos 0)\n\n== SQL ==\nSELEC 1\n^^^\n",
            "[PARSE_SYNTAX_ERROR] Syntax error at or near 'SELEC'. (line 1, pos 0)",
        ),
        ("plain", "plain"),
    ],
)
def test_a_refused_statement_gives_sparks_first_line(said: str, reason: str) -> None:
    failure = exc.OperationalError(SimpleNamespace(status=SimpleNamespace(errorMessage=said)))

    with pytest.raises(PermanentFailure) as refused:
        session_that(failure).execute("SELECT 1")
    assert str(refused.value) == f"the gateway refused the statement: {reason}"


def session_that(failure: Exception, rows: Sequence[tuple[int]] = ()) -> gateway.Gateway:
    """A session whose statement ends with `failure`, as does whatever comes after it; with rows, only what comes after."""

    class Cursor:
        description = (("n",),)

        def execute(self, statement: str) -> None:
            if not rows:
                raise failure

        def fetchmany(self, number: int) -> Sequence[tuple[int]]:
            return rows[:number]

        def close(self) -> None:
            raise failure

    return gateway.Gateway(SimpleNamespace(cursor=Cursor))


def spark_says(said: str) -> exc.OperationalError:
    return exc.OperationalError(SimpleNamespace(status=SimpleNamespace(errorMessage=said)))


@pytest.mark.parametrize(
    "failure",
    [TTransportException(4, "TSocket read 0 bytes"), BrokenPipeError(32, "Broken pipe"), EOFError()],
)
def test_a_gateway_that_ends_is_told_in_a_sentence(failure: Exception) -> None:
    """Closing the cursor fails too, and that was the traceback that people saw."""
    with pytest.raises(TransientFailure, match="the SQL gateway went away during a statement"):
        session_that(failure).execute("SELECT 1")


def test_a_stopped_spark_is_worth_another_try() -> None:
    said = "Cannot call methods on a stopped SparkContext.\nThis stopped SparkContext was created at:\n\norg.apache"
    with pytest.raises(TransientFailure, match="stopped during a statement"):
        session_that(spark_says(said)).execute("SELECT 1")


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (
            "Error running query: org.apache.spark.SparkException: Job aborted due to stage failure: Task 1 in stage 4.0 failed "
            "1 times: java.lang.OutOfMemoryError: Java heap space",
            "the statement needs more memory than the gateway has (1g, DAYBREAK_GATEWAY_MEMORY)",
        ),
        (
            "Error running query: [SPARK_JOB_CANCELLED] org.apache.spark.SparkException: [SPARK_JOB_CANCELLED] Job 2 cancelled "
            "daybreak: the gateway's memory (1g, DAYBREAK_GATEWAY_MEMORY) was nearly full, so its greediest statement was ended: "
            "ask for fewer rows at a time SQLSTATE: XXKDA",
            "the gateway ended the statement: the gateway's memory (1g, DAYBREAK_GATEWAY_MEMORY) was nearly full",
        ),
        (
            "Error running query: java.nio.file.AccessDeniedException: s3a://lake/silver/events/_delta_log/7.json: 403",
            "the gateway may only write gold",
        ),
        (
            "Error running query: java.lang.SecurityException: daybreak: DROP TABLE is refused, because reader reads tables, and "
            "nothing else; daybreak connect sql gives access\n\tat daybreak.sql.Rights",
            "the gateway refused the statement: DROP TABLE is refused, because reader reads tables, and nothing else; daybreak "
            "connect sql gives access",
        ),
    ],
)
def test_what_the_gateway_refuses_says_what_helps(said: str, told: str) -> None:
    with pytest.raises(PermanentFailure) as refused:
        session_that(spark_says(said)).execute("SELECT 1")
    assert str(refused.value).startswith(told)


def test_no_more_rows_are_fetched_than_were_asked_for() -> None:
    session = session_that(EOFError(), [(1,), (2,), (3,)])
    assert [(len(one.rows), one.is_whole) for one in (session.execute("", 2), session.execute("", 3))] == [
        (2, False),
        (3, True),
    ]


def test_thrifts_own_words_are_not_shown() -> None:
    status = SimpleNamespace(
        errorMessage=None,
        infoMessages=[
            "*org.apache.hive.service.cli.HiveSQLException:Invalid SessionHandle: x:12:11",
            "org.a.B:c:D.java:1",
        ],
    )
    assert gateway._reason(exc.OperationalError(SimpleNamespace(status=status))) == "Invalid SessionHandle: x"


def test_a_gateway_that_is_down_is_worth_another_try(monkeypatch: pytest.MonkeyPatch, free_port: int) -> None:
    monkeypatch.setattr(gateway, "settings", lambda: Settings(gateway_port=free_port))
    with pytest.raises(TransientFailure, match=f"does not answer at 127.0.0.1:{free_port}"), gateway.opened():
        pass


def test_a_store_that_is_down_is_worth_another_try(free_port: int) -> None:
    s = Settings(s3_endpoint=f"http://127.0.0.1:{free_port}", s3_access_key="a", s3_secret_key="b")  # type: ignore[arg-type]
    with pytest.raises(TransientFailure, match="does not list bucket 'lake'"):
        list(gateway.delta_tables(s))
