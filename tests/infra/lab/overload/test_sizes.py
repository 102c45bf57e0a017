"""Where what waits is kept: the buffers of an address's sockets, files on the disk, processes."""

import os
import socket
from pathlib import Path

from infra.lab.overload.sizes import in_files, in_sockets, resident

HOST, OTHER = "127.9.8.7", "127.9.8.6"


def test_a_datagram_that_nobody_reads_waits_in_its_sockets_buffer() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as reader, socket.socket(type=socket.SOCK_DGRAM) as writer:
        reader.bind((HOST, 0))
        assert in_sockets(HOST) == 0
        writer.sendto(bytes(1000), reader.getsockname())
        assert in_sockets(HOST) >= 1000
        assert in_sockets(OTHER) == 0
        reader.recv(2000)
        assert in_sockets(HOST) == 0


def test_bytes_of_a_connection_wait_at_both_of_its_ends() -> None:
    with socket.create_server((HOST, 0)) as server, socket.create_connection(server.getsockname()) as reader:
        writer, _ = server.accept()
        with writer:
            writer.sendall(bytes(5000))
            assert in_sockets(HOST) == 5000
            assert len(reader.recv(5000, socket.MSG_WAITALL)) == 5000
            assert in_sockets(HOST) == 0


def test_a_file_counts_as_what_it_takes_on_the_disk(tmp_path: Path) -> None:
    with (tmp_path / "index").open("wb") as sparse:
        sparse.truncate(10_000_000)
    assert in_files([tmp_path]) == 0
    (tmp_path / "log").write_bytes(os.urandom(100_000))
    assert 100_000 <= in_files([tmp_path]) < 200_000


def test_a_process_that_is_gone_has_no_memory() -> None:
    assert resident([os.getpid()]) > 1_000_000
    assert resident([2**22 + 1]) == 0
