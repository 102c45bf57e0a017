"""A program's log is sentences as ever, or with the setting one object per line, whoever speaks."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from infra import logs
from infra.failures import PERMANENT_EXIT
from infra.services.supervisor import Supervisor
from infra.settings import ROOT, Settings, load
from streaming.tables.progress import named

BEGUN = "import logging, sys, threading, warnings; from infra import logs; logs.begin('json'); "


def ran(code: str, *, form: str = "json", code_expected: int = 0, home: Path | None = None) -> list[str]:
    """The lines of standard error, of a process of its own: the form is a process's."""
    env = {"PATH": os.environ["PATH"], "DAYBREAK_LOG_FORMAT": form, "PYTHONPATH": str(ROOT)}
    env |= {"DAYBREAK_HOME": str(home)} if home else {}
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == code_expected, done.stderr
    return done.stderr.splitlines()


def objects(lines: list[str]) -> list[dict[str, Any]]:
    return [json.loads(line) for line in lines]


def test_without_the_setting_a_line_is_a_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    logs.line("3 of 4 are bad", "daybreak stream")
    logs.line("it is over")
    logs.line("archive: 5 offsets", "daybreak night", text="12:00:00 archive: 5 offsets")
    said = capsys.readouterr()
    assert said.err == "daybreak stream: 3 of 4 are bad\ndaybreak: it is over\n"
    assert said.out == "12:00:00 archive: 5 offsets\n"


def test_every_line_is_an_object_whoever_speaks() -> None:
    found = objects(
        ran(
            BEGUN
            + "logs.line('a\\n\"b\"', 'daybreak stream'); logs.at('ingest/l1/17'); logs.line('c', level=logging.INFO, text='C');"
            "logging.getLogger('uvicorn.error').warning('%s busy', 'port'); logging.getLogger('noise').info('no');"
            "warnings.warn('old');"
        )
    )
    assert [(one["logger"], one["level"], one["id"]) for one in found] == [
        ("daybreak.stream", "WARN", None),
        ("daybreak", "INFO", "ingest/l1/17"),
        ("uvicorn.error", "WARN", "ingest/l1/17"),
        ("py.warnings", "WARN", "ingest/l1/17"),
    ]
    assert [one["message"] for one in found[:3]] == ['a\n"b"', "c", "port busy"]
    assert all(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", one["time"]) for one in found)


def test_an_exception_that_ends_a_program_or_a_thread_is_one_line() -> None:
    raises = "raise ValueError('two\\nlines')"
    (ended,) = objects(ran(f"{BEGUN}{raises}", code_expected=1))
    assert (ended["level"], ended["message"]) == ("ERROR", "ValueError: two\nlines")
    assert ended["exception"].startswith("Traceback")
    thread = f"{BEGUN}threading.Thread(target=lambda: 1 / 0).start()"
    assert [one["message"] for one in objects(ran(thread))] == ["ZeroDivisionError: division by zero"]


def test_the_sentence_with_which_a_program_ends_is_an_object(tmp_path: Path) -> None:
    """By a real program, whose folder of a project is missing: it begins with its setting and ends for good."""
    code = "import sys; sys.argv = ['streaming', 'nonsense']; import runpy; runpy.run_module('streaming', run_name='__main__')"
    (said,) = objects(ran(code, code_expected=PERMANENT_EXIT, home=tmp_path))
    assert (said["logger"], said["level"]) == ("daybreak", "ERROR")
    assert said["message"].startswith("unknown command 'nonsense'")
    (text,) = ran(code, form="text", code_expected=PERMANENT_EXIT, home=tmp_path)
    assert text == f"daybreak: {said['message']}"


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("daybreak: the disk is full", "the disk is full"),
        ('{"logger": "daybreak", "message": "the disk is full", "id": null}', "the disk is full"),
        ('{"logger": "daybreak", "message": "KeyError: 1", "exception": "Traceback"}', None),
        ('{"logger": "org.apache.spark", "message": "lost"}', None),
        ("daybreak stream: 3 of 4 are bad", None),
        ('{"half', None),
    ],
)
def test_the_last_words_are_found_in_either_form(tmp_path: Path, written: str, said: str | None) -> None:
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "stream.log").write_text(f"noise\n{written}\n")
    assert Supervisor(Settings(home=tmp_path)).last_words("stream") == said


def test_lines_of_a_micro_batch_have_its_id(monkeypatch: pytest.MonkeyPatch) -> None:
    ids: list[str] = []
    monkeypatch.setattr(logs, "_at", ids)
    seen: list[tuple[int, list[str]]] = []
    write = named(lambda _, number: seen.append((number, [*ids])), "l1")
    for number in (17, 18):
        write(None, number)  # type: ignore[arg-type]
    assert seen == [(17, ["ingest/l1/17"]), (18, ["ingest/l1/18"])]


def test_a_form_that_there_is_not_is_refused_by_name(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("DAYBREAK_HOME", str(tmp_path))
    monkeypatch.setenv("DAYBREAK_LOG_FORMAT", "xml")
    with pytest.raises(Exception, match="DAYBREAK_LOG_FORMAT is wrong"):
        load()


PROGRAMS = ("streaming", "streaming/notify", "streaming/webhooks", "infra/shop/followers", "infra/shop/orders")
OTHERS = ("batch/command_line.py", "infra/sql/server.py")


@pytest.mark.parametrize("program", [*(f"{one}/__main__.py" for one in PROGRAMS), *OTHERS])
def test_each_program_of_ours_begins_with_the_setting(program: str) -> None:
    assert "logs.begin(settings().log_format)" in (ROOT / program).read_text()
