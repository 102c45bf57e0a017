"""JSON that other readers refuse, or read in another way, is refused."""

from typing import Any

import pytest

from infra.strict_json import decoded, whole


@pytest.mark.parametrize("value", [b'{"a":[1,1e400,"\\ud83d\\ude00"],"b":{"a":null}}', b" 7\n", b'"\xc3\xa4"'])
def test_what_is_json_is_read(value: bytes) -> None:
    assert decoded(value) is not None


@pytest.mark.parametrize(
    "value",
    [
        b"", b"{", b'{"a":1,"a":1}', b'[{"b":1,"\\u0062":2}]', b"NaN", b'{"a":-Infinity}',
        b'\xef\xbb\xbf{"a":1}', '{"a":1}'.encode("utf-16"),
        '{"a":1}'.encode("utf-32"), b'"\xed\xa0\x80"', b'"\xff"', b'{"a":1}{}', b"1" * 5_000,
    ],
)  # fmt: skip
def test_what_is_none_is_refused(value: bytes) -> None:
    with pytest.raises(ValueError):  # noqa: PT011
        decoded(value)


@pytest.mark.parametrize("value", [True, "1", 1.0, None, 1 << 63, -1, [1]])
def test_a_whole_number_is_no_other_thing(value: Any) -> None:
    assert whole({"a": (1 << 63) - 1}, "a", 0) == (1 << 63) - 1
    with pytest.raises(ValueError, match="a is no whole number"):
        whole({"a": value}, "a", 0)
