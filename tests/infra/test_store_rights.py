"""Who may do what with the lake's store, without a store: keys, what follows from the tables, what clients say, and the page.

Data flow: Settings -> login, rights; the table of rights -> infra/README.md
Run: pytest tests/infra/test_store_rights.py
"""

import json
from pathlib import Path

import pytest
from py4j.protocol import Py4JError

from batch.night.all_tables import night_tables
from infra import acting
from infra.commands import s3_lines
from infra.failures import PERMANENT_EXIT, PermanentFailure, TransientFailure, reported
from infra.lake import login, reader, rights
from infra.lake.tables import Writer
from infra.services import versitygw
from infra.settings import Settings
from infra.settings_table import PAGE
from infra.spark_conf import spark_defaults, write_defaults
from infra.store_users import OWN, User
from streaming.all_tables import stream_tables

WORDS = {
    "delta-rs": "Generic S3 error: Error performing PUT http://a/lake/x in 1ms - Server returned non-2xx status code: 403 "
    "Forbidden: <Error><Code>AccessDenied</Code></Error>",
    "Arrow": "When getting information for key 'x' in bucket 'lake': AWS Error ACCESS_DENIED during HeadObject operation",
    "minio": "S3 operation failed; code: InvalidAccessKeyId, message: The key does not exist",
    "Spark": "java.nio.file.AccessDeniedException: s3a://lake/x: (Service: S3, Status Code: 403, Request ID: 1):AccessDenied",
}


def test_each_user_has_a_key_of_its_own(s: Settings) -> None:
    keys = [login.key(s, user) for user in User]
    assert len({part for key in keys for part in key}) == 2 * len(User)
    assert all(len(key.secret) >= 32 for key in keys)


def test_a_store_of_yours_may_have_one_key_for_all(tmp_path: Path) -> None:
    one = {"s3_access_key": "mine", "s3_secret_key": "secret", "s3_endpoint": "http://store"}
    s = Settings(home=tmp_path, **one)  # type: ignore[arg-type]
    assert {login.key(s, user) for user in User} == {("mine", "secret")}
    more = Settings(home=tmp_path, night_s3_access_key="its", night_s3_secret_key="own", **one)  # type: ignore[arg-type]
    assert (login.key(more, User.NIGHT), login.key(more, User.STREAM)) == (("its", "own"), ("mine", "secret"))


def test_every_client_says_who_the_process_is(s: Settings) -> None:
    assert reader.options(s)["AWS_ACCESS_KEY_ID"] == s.reader_s3_access_key
    for writer, own in ((Writer.STREAM, User.STREAM), (Writer.NIGHT, User.NIGHT)):
        acting.act_as(writer)
        access, secret = login.key(s, own)
        assert (reader.options(s)["AWS_ACCESS_KEY_ID"], reader.options(s)["AWS_SECRET_ACCESS_KEY"]) == (access, secret)
        assert spark_defaults(s)["spark.hadoop.fs.s3a.access.key"] == access
        assert spark_defaults(s)["spark.hadoop.fs.s3a.secret.key"] == secret


def test_each_sparks_configuration_holds_one_users_key(s: Settings) -> None:
    written = {user: (write_defaults(s, user) / "spark-defaults.conf").read_text() for user in OWN}
    for user, text in written.items():
        assert [one for one in User if login.key(s, one).secret in text] == [user]
    # What spark-submit reads, which Airflow starts.
    assert (s.home / "spark" / "spark-defaults.conf").read_text() == written[User.NIGHT]


def test_a_table_can_be_written_by_its_writer_alone(s: Settings) -> None:
    writable = {user: rights.folders(s, user) for user in OWN}
    for table in (*stream_tables(), *night_tables()):
        may = [user for user, folders in writable.items() if table.id.partition("/")[0] in folders]
        assert may == [User(table.writer.value)], table.id
    every = [folder for folders in writable.values() for folder in folders]
    assert len(set(every)) == len(every)


def test_checkpoints_in_the_lake_are_the_streams(s: Settings) -> None:
    there = s.model_copy(update={"checkpoints": "s3a://lake/checkpoints/"})
    assert rights.folders(there, User.STREAM) == (*rights.folders(s, User.STREAM), "checkpoints")
    elsewhere = s.model_copy(update={"checkpoints": "s3a://other/checkpoints"})
    assert rights.folders(elsewhere, User.STREAM) == rights.folders(s, User.STREAM)


def test_nobody_but_the_root_is_granted_more_than_objects(s: Settings) -> None:
    granted = {may for own in rights.statements(s).values() for one in own for may in one["Action"]}
    assert granted == {*rights.LIST, *rights.READ, *rights.WRITE}


def test_the_servers_file_has_plain_users_and_not_the_root(s: Settings) -> None:
    versitygw.prepare(s)
    accounts = json.loads((s.home / "store" / "keys" / "users.json").read_text())["accessAccounts"]
    assert {key: one["secret"] for key, one in accounts.items()} == dict(login.key(s, user) for user in OWN)
    assert {one["role"] for one in accounts.values()} == {"user"}


@pytest.mark.parametrize("client", WORDS)
def test_what_the_store_refuses_is_permanent_and_says_who(s: Settings, client: str) -> None:
    login.act_as(User.NIGHT)
    failure = login.failed("silver/events was not written", OSError(WORDS[client]))
    assert isinstance(failure, PermanentFailure)
    assert str(failure).startswith("silver/events was not written: the object store at http://127.0.0.1:")
    assert "refuses this to night: " in str(failure)
    assert str(failure).count("daybreak connect s3") == 1
    # Spark wraps it once more.
    assert (login.refusal(f"Caused by: infra.failures.PermanentFailure: {failure}") or "").count("refuses this") == 1


def test_what_fails_for_another_reason_can_be_tried_again(s: Settings) -> None:
    others = ("Client error '403 Forbidden' for url http://airflow", "java.nio.file.AccessDeniedException: /etc/shadow")
    for said in (
        "connection refused",
        "error 503 Service Unavailable",
        "Generic S3 error: 507 Insufficient Storage",
        *others,
    ):
        assert isinstance(login.failed("x", OSError(said)), TransientFailure)


def test_a_refusal_in_sparks_words_ends_a_step_for_good(s: Settings, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended, reported():
        raise Py4JError(WORDS["Spark"])
    assert ended.value.code == PERMANENT_EXIT
    assert "refuses this to reader" in capsys.readouterr().err


def test_the_page_has_the_table_of_today() -> None:
    assert rights.page(PAGE.read_text()) == PAGE.read_text(), "run make catalog"


def test_the_lines_to_copy_name_files_and_no_secret(s: Settings) -> None:
    said, secret = s3_lines.lines(s, User.READER), login.key(s, User.READER).secret
    assert secret not in said
    assert secret in s3_lines.lines(s, User.READER, show=True)
    for file in s3_lines.files(s, User.READER):
        assert str(file) in said
        assert secret in file.read_text()


def test_lines_without_a_key_say_what_makes_it(tmp_path: Path) -> None:
    with pytest.raises(PermanentFailure, match="daybreak up makes it"):
        s3_lines.lines(Settings(home=tmp_path), User.READER)
