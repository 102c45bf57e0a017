"""Spark's pages of a running session: whoever has no password gets nothing, whatever he asks for, and at no port."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
from doors import METHODS, ODD, PATHS, asked, basic, called, ears
from spark_cluster import free_port
from typer.testing import CliRunner

from infra import secrets, spark_page
from infra.commands import connect
from infra.settings import Settings, load
from infra.setup.jars import JARS
from infra.spark_conf import spark_defaults

RUNS = """
import sys
from infra.session import spark
page = {"spark.ui.enabled": "true", "spark.ui.port": sys.argv[1], "spark.said": "for-me"}
own = spark("seen", "512m", "stream_memory", conf=page)
own.sql("SELECT 'a-private-text'").collect()
print("it runs", flush=True)
sys.stdin.read()
"""


@pytest.fixture(scope="module")
def s(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Settings]:
    home = tmp_path_factory.mktemp("home")
    (home / "jars").symlink_to(JARS)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DAYBREAK_HOME", str(home))
        secrets.ensure(load())
        yield load()


@pytest.fixture(scope="module")
def seen(s: Settings) -> Iterator[tuple[int, int]]:
    """A session as the stream has one: its process, and the port of its page."""
    port = free_port()
    # In a JVM of its own, also where tests share one (tests/mutations/jvm.py).
    env = {name: value for name, value in os.environ.items() if not name.startswith("PYSPARK_GATEWAY")}
    command, pipe = [sys.executable, "-c", RUNS, str(port)], subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, env=env) as process:
        assert process.stdout
        assert process.stdout.readline() == "it runs\n"
        yield process.pid, port
        process.communicate("", timeout=60)


@pytest.mark.slow
def test_who_says_nothing_gets_nothing(seen: tuple[int, int]) -> None:
    _, port = seen
    got = {(method, path): asked(port, path, method) for path in PATHS for method in METHODS}
    assert {at: said for at, said in got.items() if not said or said[0] != 401} == {}
    bodies = {(said or (0, ""))[1].partition("\r\n\r\n")[2] for said in got.values()}
    assert bodies <= {"", "daybreak: this page asks for user and password (daybreak connect spark tells them)\n"}
    odd = [asked(port, path, method) or (0, "") for path in ODD for method in METHODS]
    assert {status for status, _ in odd} <= {400, 401, 404}
    assert not [text for _, text in odd if "a-private-text" in text or "spark" in text.partition("\r\n\r\n")[2].lower()]


@pytest.mark.slow
def test_who_says_something_wrong_gets_nothing(s: Settings, seen: tuple[int, int]) -> None:
    _, port = seen
    right = s.spark_ui_password.get_secret_value()
    wrong = [f"owner:{right[:-1]}", f"owner:{right} ", "owner:", ":", f"nobody:{right}", f"owner:{right}\0"]
    headers = [basic(login) for login in wrong]
    headers += [
        basic(f"owner:{right}", "Bearer"),
        "Authorization: Basic\r\n",
        "Authorization: Basic !\r\n",
        "Authorization: \r\n",
    ]
    got = [asked(port, "/environment/", header=header) for header in headers]
    assert {said and said[0] for said in got} == {401}


@pytest.mark.slow
def test_no_port_of_a_session_answers_anybody(seen: tuple[int, int]) -> None:
    pid, port = seen
    listening = set(ears([pid]))
    assert port in listening
    said = {one: asked(one, "/api/v1/applications") for one in listening}
    assert {one: answer for one, answer in said.items() if answer and answer[0] != 401} == {}
    spoken = [called(one) for one in listening - {port}]
    # The driver's own port, and that of its blocks: neither reads what anybody sends.
    assert sum("Expected SaslMessage" in text for text in spoken) == 2
    assert not [text for text in spoken if "RequestMessage" in text or "BlockTransferMessage" in text]
    addresses = {one.laddr.ip for child in psutil.Process(pid).children(True) for one in child.net_connections()}
    assert addresses <= {"127.0.0.1", "::ffff:127.0.0.1"}


@pytest.mark.slow
def test_the_owner_sees_all_but_passwords_and_ends_nothing(s: Settings, seen: tuple[int, int]) -> None:
    _, port = seen
    right = s.spark_ui_password.get_secret_value()
    login = basic(f"{spark_page.USER}:{right}")
    _, applications = asked(port, "/api/v1/applications", header=login) or (0, "")
    (own,) = json.loads(applications.partition("\r\n\r\n")[2])
    for path, shown in (("/SQL/", "<html"), (f"/api/v1/applications/{own['id']}/environment", "for-me")):
        status, text = asked(port, path, header=login) or (0, "")
        assert status == 200
        assert shown in text, path
        assert right not in text
    told = dict(json.loads(text.partition("\r\n\r\n")[2])["sparkProperties"])
    assert told["spark.ui.killEnabled"] == "false"
    assert "redacted" in told["spark.daybreak.page.Login.param.password"]


def test_without_a_password_there_is_none_that_is_right(tmp_path: Path) -> None:
    assert spark_defaults(Settings(home=tmp_path))["spark.daybreak.page.Login.param.password"] == ""


def test_the_command_tells_where_the_password_is(s: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("infra.commands.connect.settings", lambda: s)
    said = CliRunner().invoke(connect.commands, ["connect", "spark"]).stdout
    right = s.spark_ui_password.get_secret_value()
    assert f"http://127.0.0.1:{s.stream_ui_port}" in said
    assert str(s.home / "secrets.env") in said
    assert right not in said
    assert right in CliRunner().invoke(connect.commands, ["connect", "spark", "--show"]).stdout
    turned_on = [line.partition("=")[2] for line in said.splitlines() if line.startswith("DAYBREAK_")]
    assert [json.loads(one) for one in turned_on] == [{"spark.ui.enabled": "true"}] * 2
