"""The gateway's client: reasons in one sentence.

Data flow: what Spark and the store answer -> failures, names
Run: pytest tests/infra/test_gateway.py
"""

import socket
from types import SimpleNamespace

import pytest
from pyhive import exc

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

    class Cursor:
        description = None

        def __enter__(self) -> "Cursor":
            return self

        def __exit__(self, *args: object) -> None:
            pass

        def execute(self, statement: str) -> None:
            raise failure

    session = gateway.Gateway(SimpleNamespace(cursor=Cursor))
    with pytest.raises(PermanentFailure) as refused:
        session.execute("SELECT 1")
    assert str(refused.value) == f"the gateway refused the statement: {reason}"


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
