"""Lines pass byte for byte, and a key is read where there is one."""

from io import BytesIO

import pytest

from infra.kafka.lines import lines, read_key


def test_lines_are_bytes_without_their_newline() -> None:
    assert list(lines(BytesIO(b'{"a":1}\r\n\n\xff\xfe \n{"b":'))) == [b'{"a":1}\r', b"", b"\xff\xfe ", b'{"b":']


def test_key_and_event_id_are_read_from_the_value() -> None:
    assert read_key('{"event_id":"e","order_id":"o-ü"}'.encode(), "order_id") == ("o-ü".encode(), "e")
    assert read_key(b'{"event_id":"e"}', "order_id") == (None, "e")


@pytest.mark.parametrize(
    "value",
    [
        b"not json",
        b'{"order_id":"o-1"',
        b"[1]",
        b"7",
        b'{"order_id":7,"event_id":null}',
        b'{"order_id":"\xff"}',
        b'\xef\xbb\xbf{"order_id":"o-1"}',
        '{"order_id":"o-1"}'.encode("utf-16"),
        b'{"order_id":"\\ud800"}',
        b'{"order_id":"o-1","a":' + b"[" * 100_000,
        b'{"order_id":"o-1","a":' + b"9" * 5_000 + b"}",
    ],
)
def test_what_cannot_be_read_has_no_key_and_is_no_error(value: bytes) -> None:
    assert read_key(value, "order_id") == (None, None)
