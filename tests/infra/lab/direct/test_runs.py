"""Runs over sockets, with processes that die: what each transport keeps, and that none outlives its run."""

import signal
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from infra.failures import TransientFailure
from infra.lab.direct.figures import Figures
from infra.lab.direct.measure import TRANSPORTS
from infra.lab.direct.run import Load, Run
from infra.lab.direct.situations import CONSUMERS_NEEDED, PRODUCERS_NEEDED, Situation, happen
from infra.lab.processes.job import Death, Place
from infra.lab.processes.placed_orders import write_orders
from infra.lab.processes.together import Together, side_by_side
from infra.lab.transports.transport import Transport

pytestmark = pytest.mark.slow

RATE, AWAY = 200.0, 1.0
WITHOUT_BROKER = [transport for transport in TRANSPORTS if transport is not Transport.KAFKA]
Runs = Callable[[Situation], dict[Transport, Figures]]


@pytest.fixture
def load(tmp_path: Path) -> Load:
    write_orders(tmp_path / "orders", 400, seed=1)
    return Load(tmp_path / "orders", RATE, round(RATE), {})


@pytest.fixture
def runs(load: Load, tmp_path: Path) -> Runs:
    """The figures of each transport in a situation; all run side by side."""

    def measured(situation: Situation) -> dict[Transport, Figures]:
        def one(transport: Transport, together: Together) -> Figures:
            processes = CONSUMERS_NEEDED[situation] + PRODUCERS_NEEDED[situation]
            with Run(transport, load, tmp_path / transport.name, "", together, processes) as run:
                return happen(situation, run, RATE, AWAY)

        return dict(zip(WITHOUT_BROKER, side_by_side(WITHOUT_BROKER, one), strict=True))

    return measured


def test_a_death_in_a_message_costs_what_the_transport_promises(runs: Runs) -> None:
    found = runs(Situation.KILLED)
    assert {one.sent for one in found.values()} == {160}
    # The message at whose beginning the consumer died: nobody has it any more.
    assert found[Transport.TCP].counts.lost > 0
    assert found[Transport.UDP].counts.lost > 0
    assert found[Transport.WEBHOOK].counts.lost > 0
    assert found[Transport.NUMBERED].counts.lost == 0
    assert found[Transport.NUMBERED].counts.doubled == 0, "its position is its ledger"
    assert found[Transport.RETRIED].counts.lost == 0
    assert found[Transport.RETRIED].counts.doubled == 1, "the work was done, and its answer never came"


def test_what_waits_for_a_retry_dies_with_the_producer(runs: Runs) -> None:
    found = runs(Situation.PRODUCER)
    first_producers = RATE * AWAY / 5
    assert 0.5 * first_producers <= found[Transport.RETRIED].counts.lost < found[Transport.WEBHOOK].counts.lost
    assert 0.5 * first_producers <= found[Transport.NUMBERED].counts.lost < found[Transport.UDP].counts.lost


def test_no_process_outlives_a_run_that_fails(load: Load, tmp_path: Path) -> None:
    before = set(psutil.Process().children(recursive=True))
    with Run(Transport.TCP, load, tmp_path / "ledger", "", Together(1), 3) as run:
        run.begin(40, Death(10_000, Place.BEFORE))
        own = set(psutil.Process().children(recursive=True)) - before
        for process in own:
            # Ctrl-C reaches them too, and only the one that started them may end them.
            process.send_signal(signal.SIGINT)
        run._consumers[2].tell("leave")
        with pytest.raises(TransientFailure, match="ended in another way than it was to: exit code 0"):
            run.dies(2)
    assert len(own) == 4, "three, and the one that forked them"
    assert not [process for process in own if process.is_running()]
