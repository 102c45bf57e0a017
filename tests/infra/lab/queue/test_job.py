"""A job reaches its process as it was meant."""

import pytest

from infra.lab.queue.job import Access, Job, Role, Way
from infra.queue.broker import Broker

ACCESS = Access(Broker("127.0.0.1", 1, "daybreak", "secret"), {"bootstrap.servers": "127.0.0.1:2"})


@pytest.mark.parametrize("acks", [None, (), (2, 4)])
def test_a_job_is_read_as_it_was_written(acks: tuple[int, ...] | None) -> None:
    job = Job(Way.SHARE, Role.CONSUMER, ACCESS, "source", "group", "ledger", 2, dies_before=(3,), acks=acks)
    assert Job.read(job.text()) == job


def test_no_password_shows_in_a_repr() -> None:
    assert "secret" not in repr(Job(Way.QUEUE, Role.POURS, ACCESS, "source"))
