"""A mail about one alert, or about very many."""

import json

from confluent_kafka import Message

from streaming.notify.digest import LINE, MOST_KINDS, SHOWN, Digest

RANGES, AT = {"alerts/0": (3, 9), "corrections/1": (0, 5)}, {"alerts/0": "id-0", "corrections/1": "id-1"}


def record(value: object, key: str = "v/k") -> Message:
    return Message(topic="t", partition=0, offset=1, key=key.encode(), value=json.dumps(value).encode())


def mailed(digest: Digest) -> dict[str, str]:
    found: dict[str, str] = json.loads(digest.delivery("people", RANGES, AT).body)
    return found


def test_one_alert_is_the_subject() -> None:
    digest = Digest()
    digest.take(
        "alerts", record({"view": "fraud_alerts", "alert": "raised", "card_id": "card-7"}, "fraud_alerts/card-7")
    )
    found = mailed(digest)
    assert found["subject"] == "[Daybreak] alert fraud_alerts raised"
    assert (
        'alert fraud_alerts/card-7: {"view": "fraud_alerts", "alert": "raised", "card_id": "card-7"}' in found["text"]
    )
    assert "daybreak notify remove people" in found["text"]


def test_many_are_counted_by_kind_and_the_first_are_shown() -> None:
    digest = Digest()
    for number in range(1500):
        digest.take("alerts", record({"view": "a", "alert": "withdrawn" if number % 3 else "raised", "number": number}))
    digest.take("corrections", record({"view": "b", "old": None, "new": 1}))
    found = mailed(digest)
    assert found["subject"] == "[Daybreak] 1,501: 1,000 x alert a withdrawn"
    lines = found["text"].splitlines()
    assert lines[:3] == ["1,000 x alert a withdrawn", "500 x alert a raised", "1 x correction b"]
    assert sum(line.startswith("alert v/k: ") for line in lines) == SHOWN
    assert f"... and {1501 - SHOWN:,} more." in lines
    assert "All of them: daybreak alerts, daybreak corrections" in lines


def test_a_mail_stays_short_whatever_the_records_say() -> None:
    digest = Digest()
    for number in range(1000):
        digest.take("alerts", record({"view": f"view {number}" + "x" * 10_000, "alert": "raised"}, "k" * 10_000))
    found = mailed(digest)
    assert digest.counts.total() == 1000
    assert len(digest.counts) == MOST_KINDS + 1
    assert len(found["text"]) < SHOWN * LINE + MOST_KINDS * 200 + 1000


def test_a_key_cannot_end_a_header_or_draw() -> None:
    digest = Digest()
    digest.take("alerts", record({"view": "a\r\nBcc: all@example.org", "alert": "\x1b[2J"}, "k\r\n.\r\n"))
    found = mailed(digest)
    assert found["subject"].isprintable()
    assert all(line.isprintable() for line in found["text"].splitlines())
    assert not any(line.startswith((".", "Bcc")) for line in found["text"].splitlines())


def test_what_is_no_alert_is_mailed_all_the_same() -> None:
    digest = Digest()
    for value in (b"\xff", b"[" * 100_000, b"[]", None):
        digest.take("alerts", Message(topic="t", partition=0, offset=1, key=None, value=value))
    assert mailed(digest)["subject"] == "[Daybreak] 4: 4 x alert ?"


def test_an_id_is_that_of_the_records_in_it() -> None:
    digest = Digest()
    digest.take("alerts", record({}))
    same = digest.delivery("people", dict(reversed(RANGES.items())), AT)
    assert digest.delivery("people", RANGES, AT).id == same.id
    longer, made_again = RANGES | {"alerts/0": (3, 10)}, AT | {"alerts/0": "id-2"}
    ids = {same.id, digest.delivery("people", longer, AT).id, digest.delivery("people", RANGES, made_again).id}
    assert len(ids) == 3
