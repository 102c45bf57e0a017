"""Who may do what with the lake's store: every user tries everything on both embedded ones; who says no key, or a wrong one."""

import json
import stat
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest
from deltalake import DeltaTable
from pyspark.sql.types import LongType, StructField, StructType
from running import until
from store_server import StoreServer, served
from store_tries import As, furnish
from store_wire import ask

from infra.commands import s3_lines
from infra.failures import PermanentFailure
from infra.lake import arrow_tables, login, reader, spark_tables, upkeep
from infra.lake.rights import TRIES, WRITERS_OF
from infra.lake.tables import Table
from infra.lake.writes import append_once
from infra.services.audit import audit_file
from infra.services.program import Name
from infra.settings import Settings, settings
from infra.store_users import User

pytestmark = pytest.mark.platform

TABLE = Table("silver", "events", StructType([StructField("n", LongType())]))
ROWS = pa.table({"n": pa.array([1, 2], pa.int64())})


@pytest.fixture(scope="module", params=["versitygw", "minio"])
def running(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[StoreServer]:
    """A store by itself: nothing else of the platform is needed to try its door."""
    with served(request.param, tmp_path_factory.mktemp(request.param)) as own:
        yield own


@pytest.fixture
def s(running: StoreServer, monkeypatch: pytest.MonkeyPatch) -> Iterator[Settings]:
    """The settings of the store's home, which are this process's too."""
    monkeypatch.setenv("DAYBREAK_HOME", str(running.home))
    settings.cache_clear()
    yield settings()
    settings.cache_clear()


def test_each_user_may_do_what_the_table_says(s: Settings) -> None:
    furnish(s)
    wrong, tried, refusals = [], 0, Counter[str]()
    # The root last: what it takes away is given again by a start of the platform only.
    for user in reversed(User):
        own = As(s, user)
        for one in TRIES:
            for way, refused in own.does(one).items():
                tried += 1
                # One request that deletes many objects is answered with a refusal of each, and not logged as refused.
                refusals[user] += refused is not None and way != "delete many" and "one request" not in one.what
                if (refused is None) is not (user in one.may):
                    wrong.append((user.value, one.what, way, refused))
    assert wrong == []
    assert tried > 250
    if s.store == "versitygw":
        until("each refusal is written down", lambda: Counter(one["user"] for one in audited(s)) == +refusals, 20)


def audited(s: Settings) -> list[dict[str, str]]:
    """What the store has written down of refusals."""
    file = audit_file(s, Name.STORE)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    return [json.loads(line) for line in file.read_text().splitlines()]


def test_who_says_no_key_or_a_wrong_one_is_not_let_in(s: Settings) -> None:
    root, own = login.key(s, User.ROOT), login.key(s, User.READER)
    wrong = {
        None: "AccessDenied",
        login.Key("nobody", own.secret): "InvalidAccessKeyId",
        login.Key(root.access, own.secret): "SignatureDoesNotMatch",
        login.Key(own.access, root.secret): "SignatureDoesNotMatch",
    }
    places = [f"/{s.bucket}/{folder}/there" for folder in WRITERS_OF]
    for key, says in wrong.items():
        assert ask(s, "GET", f"/{s.bucket}", key) == says
        for method in ("GET", "PUT", "DELETE"):
            # MinIO says of a wrong secret at times that access is denied.
            assert {ask(s, method, place, key, b"x" if method == "PUT" else b"") for place in places} <= {
                says,
                "AccessDenied",
            }
    assert ask(s, "GET", f"/{s.bucket}", own) is None


def test_a_writer_writes_and_tidies_up_and_a_reader_reads(s: Settings) -> None:
    login.act_as(User.STREAM)
    spark_tables.create(None, TABLE)  # type: ignore[arg-type]
    for version in range(upkeep.MANY + 1):
        append_once(ROWS, TABLE, "stream", version)
    assert upkeep.compact(TABLE) == upkeep.MANY + 1
    at = DeltaTable(arrow_tables.place(TABLE), storage_options=reader.options(s))
    gone = at.vacuum(retention_hours=0, enforce_retention_duration=False, dry_run=False)
    assert len(gone) == upkeep.MANY + 1

    login.act_as(User.READER)
    assert arrow_tables.read(TABLE).num_rows == 2 * (upkeep.MANY + 1)
    words = r"silver/events was not written: .*refuses this to reader: .*daybreak connect s3"
    with pytest.raises(PermanentFailure, match=words):
        append_once(ROWS, TABLE, "stream", 99)
    login.act_as(User.NIGHT)
    with pytest.raises(PermanentFailure, match="refuses this to night"):
        append_once(ROWS, TABLE, "stream", 99)


def test_a_key_that_the_store_does_not_know_is_named(s: Settings) -> None:
    other = s.model_copy(update={"reader_s3_access_key": "nobody"})
    with pytest.raises(PermanentFailure, match=r"does not give silver/events: .*refuses this to reader"):
        reader.read(other, TABLE.id)


def test_the_lines_to_copy_read_the_lake(s: Settings, capsys: pytest.CaptureFixture[str]) -> None:
    said = s3_lines.lines(s, User.READER)
    python = said.partition("# Python")[2].partition("# DuckDB")[0]
    exec(python.partition("\n")[2], {})
    assert int(capsys.readouterr().out) > 0
    options, secret = s3_lines.files(s, User.READER)
    assert json.loads(options.read_text())["AWS_ACCESS_KEY_ID"] == s.reader_s3_access_key
    assert [stat.S_IMODE(file.stat().st_mode) for file in (options, secret)] == [0o600, 0o600]


def test_no_secret_is_on_the_servers_command_line(running: StoreServer, s: Settings) -> None:
    assert running.process
    said = Path(f"/proc/{running.process.pid}/cmdline").read_text()
    assert "bin/" in said
    assert not [user for user in User if login.key(s, user).secret in said]
