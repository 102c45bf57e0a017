"""Who was refused what is a line of a file of its own, that does not grow for ever, whatever the refused say."""

import json
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from infra.services import audit, refusals
from infra.services.program import Name
from infra.settings import Settings

S3 = (
    'root lake [29/November/2026:06:54:48 +0000] 127.0.0.1 {user} 8CV8FU3QU3DP3P63 s3_PutObject silver/x"y z '
    "/lake/silver/x%22y%20z?X-Amz-Signature=abc {status} {why} 0 0 0 0 - MinIO (Linux) - Ztr= SigV4 - AuthHeader s3 - arn Yes"
)
ADMIN = (
    "[29/November/2026:06:54:48 +0000] 127.0.0.1 bob RVRN7 admin_ListUsers /list-users 0 {why} 0 0 0 - Python - SigV4"
)
SQL = "2026-11-29 06:54:48.123 UTC [77] {user}@shop 127.0.0.1(4000) {code} {level}:  {what}"


def entry(kind: str, line: str) -> dict[str, str] | None:
    return refusals.KINDS[kind](line)[0]


@pytest.mark.parametrize("why", ["AccessDenied", "SignatureDoesNotMatch", "InvalidAccessKeyId"])
def test_of_a_request_who_when_and_what(why: str) -> None:
    assert entry("store", S3.format(user="bob", status=403, why=why)) == {
        "at": "2026-11-29T06:54:48+00:00",
        "user": "bob",
        "from": "127.0.0.1",
        "refused": f"PutObject /lake/silver/x%22y%20z: {why}",
    }


def test_what_is_done_or_not_there_is_no_refusal() -> None:
    for status, why in ((200, "-"), (404, "NoSuchKey"), (412, "PreconditionFailed")):
        assert refusals.of_store(S3.format(user="bob", status=status, why=why)) == (None, False)
    assert refusals.of_store(ADMIN.format(why="-")) == (None, False)


def test_no_name_hides_a_refusal() -> None:
    line = S3.format(user="bob", status=403, why="AccessDenied")
    for name in (
        " /lake/x 200 - 0 0 0 0 ",
        "x\ny",
        "x\nroot lake [29/November/2026:06:54:48 +0000] 127.0.0.1 night A s3_A x Yes\ny",
    ):
        for at in ('silver/x"y z', "MinIO (Linux)"):
            found = [entry("store", part) for part in line.replace(at, name).split("\n")]
            (kept,) = filter(None, found)
            assert kept["refused"].endswith("/lake/silver/x%22y%20z: AccessDenied")
            assert kept["user"] in ("bob", "?")


def test_administration_is_looked_at_too() -> None:
    found = entry("store", ADMIN.format(why='<?xml version="1.0"?>'))
    assert found
    assert (found["user"], found["refused"]) == ("bob", "ListUsers /list-users: AccessDenied")


@pytest.mark.parametrize(
    ("code", "level", "what"),
    [
        ("28P01", "FATAL", 'password authentication failed for user "bob"'),
        ("28000", "FATAL", "no pg_hba.conf entry for replication connection"),
        ("42501", "ERROR", "permission denied for table stock"),
    ],
)
def test_postgres_says_by_its_code_what_a_refusal_is(code: str, level: str, what: str) -> None:
    line = SQL.format(user="bob", code=code, level=level, what=what)
    assert refusals.of_postgres(line)[1], "it is in the log as well"
    assert entry("postgres", line) == {
        "at": "2026-11-29T06:54:48.123+00:00",
        "user": "bob",
        "from": "127.0.0.1(4000)",
        "refused": f"shop: {what}",
    }
    assert entry("postgres", SQL.format(user="bob", code="42P01", level="ERROR", what="no such table")) is None


def test_a_name_of_many_signs_is_cut_and_plain() -> None:
    found = entry("postgres", SQL.format(user="a\x1b[2J\ue000" * 100, code="28P01", level="FATAL", what="x" * 5000))
    assert found
    assert max(map(len, found.values())) == refusals.LONGEST
    assert all(text.isascii() and text.isprintable() for text in found.values())


def test_the_file_does_not_grow_beyond_its_bound(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(refusals, "LARGEST", 1000)
    file = tmp_path / "logs" / "store-audit.jsonl"
    for number in range(200):
        refusals.write(file, {"at": "now", "user": str(number)})
    assert sorted(one.name for one in file.parent.iterdir()) == [file.name, f"{file.name}.1"]
    assert all(one.stat().st_size <= 1000 for one in file.parent.iterdir())
    assert [stat.S_IMODE(one.stat().st_mode) for one in file.parent.iterdir()] == [0o600] * 2
    assert json.loads(file.read_text().splitlines()[-1])["user"] == "199"


def test_a_server_keeps_its_process_its_log_and_its_users(s: Settings) -> None:
    script = "import os, sys; print(os.getpid()); print('told', file=sys.stderr); print(sys.argv[1])"
    line = S3.format(user="its-key", status=403, why="AccessDenied")
    command = audit.audited(s, Name.STORE, [sys.executable, "-c", script, line], {"its-key": "night"})
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        said = server.communicate(timeout=30)[0].splitlines()
    assert sorted(said) == sorted([str(server.pid), "told"])
    (kept,) = map(json.loads, audit.audit_file(s, Name.STORE).read_text().splitlines())
    assert kept["user"] == "night"
