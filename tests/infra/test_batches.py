"""What a partition's log holds is read from the headers of its batches, as a broker sends them."""

from infra.kafka.batches import HEADER, Batch, parsed


def test_a_batch_that_is_cut_off_is_left_out() -> None:
    def batch(first: int, delta: int, attributes: int, records: int, magic: int = 2) -> bytes:
        return HEADER.pack(first, HEADER.size - 12 + 3, 0, magic, 0, attributes, delta, 0, 0, 9, 0, 0, records) + b"abc"

    data = batch(5, 3, 0, 4) + batch(9, 3, 0x11, 2) + batch(13, 0, 0x30, 1) + batch(14, 0, 0, 1, magic=1)
    found = [*parsed(data + batch(15, 0, 0, 1)[:40])]
    assert found == [Batch(5, 9, 4, False, False), Batch(9, 13, 2, True, False), Batch(13, 14, 1, True, True)]
    assert [one.is_whole for one in found] == [True, False, True]
