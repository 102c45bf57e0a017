"""The ledger gives back what was written, and leaves earlier lines alone."""

from hashlib import sha256
from pathlib import Path

from infra.kafka.delivery_log import ACKED, Entry, Ledger, read_ledger


def test_a_ledger_reads_back_as_written_and_grows(tmp_path: Path) -> None:
    file = tmp_path / "runs" / "ledger.jsonl"
    with Ledger(file, payloads=True) as ledger:
        ledger.write('id"\ud800', "orders", 1, 42, ACKED, "good", b"k\xff", b"\xff\n")
    with Ledger(file) as ledger:
        ledger.write(None, "orders", -1, -1, "MSG_SIZE_TOO_LARGE", None, None, None)
    first, second = read_ledger(file)
    assert first == Entry(
        'id"\ud800', "orders", 1, 42, sha256(b"\xff\n").hexdigest(), ACKED, "good", b"k\xff", b"\xff\n"
    )
    assert second == Entry(None, "orders", -1, -1, None, "MSG_SIZE_TOO_LARGE")


def test_payloads_are_kept_only_on_request(tmp_path: Path) -> None:
    file = tmp_path / "ledger.jsonl"
    with Ledger(file) as ledger:
        ledger.write("id", "orders", 0, 0, ACKED, "good", b"key", b"value")
    assert "value" not in file.read_text()
