"""What `daybreak query` prints, of an answer that the gateway gave."""

import functools
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import date
from decimal import Decimal
from http.server import ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from types import SimpleNamespace

import httpx
import pytest
from pydantic import SecretStr
from typer.testing import CliRunner

from infra.commands import beeline, query
from infra.failures import PermanentFailure
from infra.settings import Settings
from infra.sql.gateway import Answer

STUB = """#!/bin/sh
test -x "$SPARK_HOME/bin/spark-class" || { echo "no Spark at '$SPARK_HOME'" >&2; exit 3; }
echo "$@"
"""
ANSWER = Answer(("day", "share", "orders", "note"), ((date(2026, 1, 31), Decimal("0E-9"), 7, None),))


@pytest.fixture(autouse=True)
def answered(monkeypatch: pytest.MonkeyPatch) -> None:
    @contextmanager
    def opened() -> Iterator[SimpleNamespace]:
        yield SimpleNamespace(execute=lambda sql, most: ANSWER)

    monkeypatch.setattr(query, "opened", opened)


def said(*options: str) -> str:
    done = CliRunner().invoke(query.commands, ["query", "SELECT 1", *options])
    assert done.exit_code == 0, done.output
    return done.output


def test_a_table_has_no_exponents_and_its_figures_stand_to_the_right() -> None:
    (row,) = (line for line in said().splitlines() if "2026-01-31" in line)
    assert row.split()[1:-1] == ["2026-01-31", "│", "0.000000000", "│", "7", "│"]


def test_csv_and_json_have_none_either_and_null_stays_null() -> None:
    assert said("--csv").splitlines() == ["day,share,orders,note", "2026-01-31,0.000000000,7,"]
    assert json.loads(said("--json")) == {"day": "2026-01-31", "share": "0.000000000", "orders": 7, "note": None}


def test_more_rows_than_the_limit_are_said_and_exit_with_a_code(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []

    @contextmanager
    def opened() -> Iterator[SimpleNamespace]:
        yield SimpleNamespace(execute=lambda sql, most: asked.append(most) or replace(ANSWER, is_whole=False))

    monkeypatch.setattr(query, "opened", opened)
    monkeypatch.setenv("DAYBREAK_QUERY_ROWS", "1")
    done = CliRunner().invoke(query.commands, ["query", "SELECT 1", "--csv"])
    assert asked == [1]
    assert "2026-01-31" in done.output
    assert isinstance(done.exception, PermanentFailure)
    assert "first 1 rows only" in str(done.exception)


@pytest.mark.parametrize(
    "sql",
    [
        "DELETE FROM gold.fct_orders",
        "/* a reader */\nDROP TABLE gold.fct_orders",
        "WITH a AS (SELECT 1) INSERT INTO gold.fct_orders SELECT * FROM a",
        "create table a as select 1",
        "",
    ],
)
def test_a_statement_that_writes_is_refused(sql: str) -> None:
    done = CliRunner().invoke(query.commands, ["query", sql])
    assert isinstance(done.exception, PermanentFailure)
    assert "only reads" in str(done.exception)


@pytest.mark.parametrize(
    "sql",
    [
        "select 1",
        " (SELECT 1)",
        "/* why */ -- how\nWITH a AS (SELECT 1) TABLE a",
        "DESCRIBE HISTORY gold.a",
        "SHOW TABLES",
    ],
)
def test_a_statement_that_reads_is_run(sql: str) -> None:
    assert CliRunner().invoke(query.commands, ["query", sql]).exit_code == 0


def test_beeline_is_told_where_spark_and_the_gateway_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Of itself it asks the PATH's python3, which has no Spark."""
    script = tmp_path / "beeline"
    script.write_text(STUB)
    script.chmod(0o755)
    monkeypatch.setattr(beeline, "BIN", tmp_path)
    monkeypatch.delenv("SPARK_HOME", raising=False)
    own = Settings(home=tmp_path, gateway_reader_password=SecretStr("abc"))
    monkeypatch.setattr(beeline, "settings", lambda: own)
    done = CliRunner().invoke(beeline.commands, ["-e", "SELECT 1"])
    assert done.exit_code == 0, capfd.readouterr().err
    said = capfd.readouterr().out.split()
    file = tmp_path / "gateway" / "reader.password"
    assert said[:6] == ["-u", f"jdbc:hive2://127.0.0.1:{own.gateway_port}", "-n", "reader", "-w", str(file)]
    assert said[6:] == ["-e", "SELECT", "1"]
    assert (file.read_text(), file.stat().st_mode & 0o777) == ("abc", 0o600)


def test_the_docs_are_served_to_whom_their_address_was_told(tmp_path: Path) -> None:
    page = tmp_path / "static_index.html"
    page.write_text("the docs")
    (tmp_path / "manifest.json").write_text("{}")
    with ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(query._OnePage, "/told", page)) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        with httpx.Client(base_url=f"http://127.0.0.1:{server.server_port}", trust_env=False) as client:
            said = {
                path: client.get(path)
                for path in ("/told", "/", "/static_index.html", "/manifest.json", "/tol", "/told/")
            }
        server.shutdown()
    assert {path: one.text for path, one in said.items() if one.is_success} == {"/told": "the docs"}
    assert said["/told"].headers["content-security-policy"] == "frame-ancestors 'self'"
