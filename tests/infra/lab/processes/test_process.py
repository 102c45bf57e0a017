"""Processes of a lab: they end with whoever started them, and say why they could not start."""

import socket
from pathlib import Path

import pytest

from infra.failures import TransientFailure
from infra.lab.processes.job import Death, Job, Place, Role
from infra.lab.processes.ledger import Reader
from infra.lab.processes.process import Family
from infra.lab.processes.together import Stopped, Together, side_by_side
from infra.lab.transports.transport import Transport, Wire

pytestmark = pytest.mark.slow


def test_a_process_ends_when_who_started_it_is_gone() -> None:
    wire = Wire("127.9.9.9", "239.255.9.9", 17_400, 2, 1, "", {})
    with Family(Transport.UDP, 2) as (one, other):
        one.begin(Job(Role.CONSUMER, wire, "/dev/null", 0, consumer=1))
        one._in.close()
        other._in.close()
        one._ends(0)
        other._ends(0)


def test_a_process_in_which_a_thread_fails_ends_and_says_why(tmp_path: Path) -> None:
    wire = Wire("127.9.9.7", "239.255.9.7", 17_400, 2, 1, "", {})
    (tmp_path / "file").write_text("{}\n")
    job = Job(Role.PRODUCER, wire, str(tmp_path / "ledger"), 0, orders_file=str(tmp_path / "file"), end=1, rate=1.0)
    with (
        Reader(tmp_path / "ledger") as ledger,
        Family(Transport.NUMBERED, 1) as (producer,),
        socket.socket(type=socket.SOCK_DGRAM) as asker,
    ):
        producer.begin(job)
        producer.tell("go")
        while not ledger.facts.ended:
            ledger.read()
            producer.check()
        asker.sendto(b"R", (wire.host, wire.port))
        producer._ends(1)
        with pytest.raises(TransientFailure, match="ended early: error: unpack_from requires a buffer"):
            producer.check()


def test_a_port_in_use_is_said_and_ends_the_runs_beside() -> None:
    wire = Wire("127.9.9.8", "239.255.9.8", 17_400, 2, 1, "", {})
    job = Job(Role.CONSUMER, wire, "/dev/null", 0, consumer=1)

    def one(first: bool, together: Together) -> None:
        with Family(Transport.UDP, 2) as members:
            if not first:
                together.wait(60)
            for process in reversed(members):
                process.begin(job)

    with pytest.raises(TransientFailure, match=r"UDP unicast\) said '', and was to be ready: .*Address already in use"):
        side_by_side([True, False], one)


def test_what_keeps_a_family_from_starting_is_said() -> None:
    with pytest.raises(TransientFailure, match="ValueError: 'pigeon' is not a valid Transport"):
        Family("pigeon", 2).__enter__()  # type: ignore[arg-type]


def test_a_stopped_lab_does_not_wait() -> None:
    together = Together(2)
    together.stop()
    with pytest.raises(Stopped):
        together.begin()
    with pytest.raises(Stopped):
        together.wait(60)


def test_a_job_comes_as_it_was_written() -> None:
    wire = Wire("127.1.2.3", "239.255.2.3", 1, 2, 2, "t", {"a": 1})
    job = Job(Role.CONSUMER, wire, "ledger", 7, consumer=2, death=Death(5, Place.BEHIND))
    assert Job.read(job.text()) == job
