"""A ledger is read while processes write it, and has no line but theirs."""

from pathlib import Path

import pytest

from infra.lab.processes.ledger import Facts, Ledger, Processed, Reader


def test_a_ledger_is_read_while_it_is_written(tmp_path: Path) -> None:
    file = tmp_path / "ledger"
    with Reader(file) as reader:
        assert not reader.read()
        producer, consumer = Ledger(file), Ledger(file)
        producer.sent(0)
        consumer.processed(2, 0, 1_500)
        assert reader.read()
        with file.open("ab") as half:
            half.write(b"s 1")
        reader.read()
        assert reader.facts == Facts([0], [], [Processed(2, 0, 1_500)])
        with file.open("ab") as half:
            half.write(b"\n")
        producer.ended()
        producer.refused(2)
        reader.read()
        assert reader.facts == Facts([0, 1], [2], [Processed(2, 0, 1_500)], ended=True)


def test_a_foreign_line_in_a_ledger_is_an_error(tmp_path: Path) -> None:
    file = tmp_path / "ledger"
    file.write_bytes(b"x 1\n")
    with Reader(file) as reader, pytest.raises(ValueError, match="none of its own: b'x 1'"):
        reader.read()
