"""The lab's brokers: their ports are free, and none outlives whoever started it."""

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from infra.failures import TransientFailure
from infra.kafka.brokers import Node
from infra.lab.acks import brokers, cluster, tether
from infra.settings import Settings

STARTS = (
    "import os, subprocess, sys, time; "
    "own = subprocess.Popen([sys.executable, sys.argv[1], str(os.getpid()), 'sleep', '600'], start_new_session=True); "
    "print(own.pid, flush=True); time.sleep(600)"
)


def test_a_tethered_program_dies_with_whoever_started_it() -> None:
    with subprocess.Popen([sys.executable, "-c", STARTS, tether.__file__], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout
        child = psutil.Process(int(parent.stdout.readline()))
        give_up = time.monotonic() + 20
        while child.name() != "sleep":
            assert time.monotonic() < give_up, "it became no other program"
            time.sleep(0.02)
        os.kill(parent.pid, signal.SIGKILL)
        parent.wait()
        while child.is_running() and child.status() != psutil.STATUS_ZOMBIE:
            assert time.monotonic() < give_up, "it outlives its parent"
            time.sleep(0.02)


def test_a_port_that_somebody_has_is_not_given(monkeypatch: pytest.MonkeyPatch) -> None:
    first, *others = brokers.free_ports(6)
    assert len({first, *others}) == 6
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", first))
        taken.listen()
        monkeypatch.setattr(brokers, "PORTS", range(first, first + 1))
        with pytest.raises(TransientFailure, match=f"of the ports from {first} to {first} not 1 are free"):
            brokers.free_ports(1)


def test_a_broker_that_ends_by_itself_is_told_with_its_last_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    node = Node(1, tmp_path, 1, 2)
    ends = [sys.executable, "-c", "print('starts'); print('the port is taken')"]
    monkeypatch.setattr(brokers, "command", lambda s, node: ends)
    with brokers.Brokers(Settings(home=tmp_path), [node]) as running:
        own = cluster.Cluster([node], ["topic"], running, {})
        running.start(1)
        with pytest.raises(TransientFailure, match="broker 1 of the lab ended by itself: the port is taken"):
            own.wait_up()
