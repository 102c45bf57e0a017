"""The search for secrets finds them, in whatever form they were written: else it would be green for nothing."""

from base64 import b64encode, urlsafe_b64encode
from pathlib import Path
from urllib.parse import quote

import pytest
from secret_search import HOLD, forms, generated, open_to_others, searched

SECRET = "k-3_Rq0x=/Zb7+w9"
PLANTED = {
    "plain": SECRET.encode(),
    "in a sentence": f"login of owner failed ({SECRET})".encode(),
    "in a URL": f"postgresql://owner:{quote(SECRET, safe='')}@127.0.0.1/daybreak".encode(),
    "in bytes": b"\x00\xff" + SECRET.encode() + b"\xfe\x00",
    "basic": b64encode(f"owner:{SECRET}".encode()),
    "basic of another length": b64encode(f"reader:{SECRET}, and more".encode()),
    "JSON in base64": urlsafe_b64encode(f'{{"a": "{SECRET}"}}'.encode()),
}


@pytest.mark.parametrize("planted", PLANTED)
def test_a_planted_secret_is_found(tmp_path: Path, planted: str) -> None:
    (tmp_path / "home" / "logs").mkdir(parents=True)
    (tmp_path / "home" / "logs" / "a.log").write_bytes(b"before\n" + PLANTED[planted] + b"\nbehind")
    (tmp_path / "home" / "logs" / "b.log").write_text("another word\n")
    found = searched({"A": SECRET, "B": "not-there"}, [tmp_path / "home"], tmp_path)
    assert found == {tmp_path / "home" / "logs" / "a.log": {"A"}}


def test_a_form_is_no_more_than_the_secrets_own() -> None:
    assert all(len(form) >= len(SECRET) for form in forms(SECRET))
    assert SECRET in forms(SECRET)


def test_each_file_that_may_hold_one_has_a_reason() -> None:
    assert all(len(why) > 10 for why in HOLD.values())
    assert len(set(HOLD.values())) == len(HOLD)


def test_what_is_a_name_is_not_searched(tmp_path: Path) -> None:
    lines = "DAYBREAK_KAFKA_CLUSTER_ID=aaaaaaaaaaaa\nDAYBREAK_S3_ACCESS_KEY=bbbbbbbbbbbb\nDAYBREAK_S3_SECRET_KEY=cccccccccccc\n"
    (tmp_path / "secrets.env").write_text(lines)
    assert generated(tmp_path) == {"DAYBREAK_S3_SECRET_KEY": "cccccccccccc"}


def test_a_file_that_others_may_read_is_seen(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir(mode=0o700)
    (tmp_path / "folder" / "open").touch()
    (tmp_path / "folder" / "open").chmod(0o640)
    tmp_path.chmod(0o700)
    assert open_to_others(tmp_path) == ["-rw-r----- folder/open"]
