"""The SQL gateway's process: Spark's Thrift server, and the guard that keeps one statement from ending all others.

Data flow: SQL of dbt and people -> Spark Thrift server; the guard's looks -> `<home>/run/gateway.json`
Run: daybreak up --only gateway
"""

import json
import os
import time
from collections import deque

from py4j.protocol import Py4JNetworkError

from infra import left_behind, logs
from infra.failures import TransientFailure, reported
from infra.lake.login import act_as
from infra.services.gateway import configuration, folders, guarded
from infra.services.gateway import jvm as jvm_options
from infra.session import spark
from infra.settings import Settings, settings
from infra.sql import users
from infra.sql.guard import Guard
from infra.sql.stuck import STUCK_SECONDS, ends_when_stuck
from infra.store_users import User

EVERY_SECONDS = 0.5
TOLD = 10
"""Statements ended lately that `daybreak status` tells of, at most."""


def run() -> None:
    """Serve until the process is ended. Raises TransientFailure when Spark has stopped; supervisor then restarts it."""
    s = settings()
    # What a gateway that was killed had spilled would count as this one's statements'.
    spill, *_ = map(left_behind.emptied, folders(s))
    # Its key of the store writes gold only, whatever a statement says.
    act_as(User.GATEWAY)
    conf = {**configuration(s), **s.of_gateway, **guarded(s)}
    users.write(s)
    own = spark("gateway", s.gateway_memory, "gateway_memory", jvm_options(s), conf)
    jvm, context = own.sparkContext._jvm, own.sparkContext._jsc.sc()
    assert jvm
    jvm.daybreak.sql.Server.start(own._jsparkSession)
    guard = Guard(own, spill, s.gateway_spill_mb << 20, s.gateway_memory)
    ended: deque[dict[str, object]] = deque(maxlen=TOLD)
    _write(s, ended)
    pid = int(jvm.java.lang.ProcessHandle.current().pid())
    try:
        while not context.isStopped():
            with ends_when_stuck(pid):
                said = guard.look()
            if said:
                logs.line(said)
                ended.append({"at": time.time(), "what": said})
                _write(s, ended)
            time.sleep(EVERY_SECONDS)
    except Py4JNetworkError as gone:
        raise TransientFailure(
            f"the SQL gateway's JVM has ended: its memory ({s.gateway_memory}, DAYBREAK_GATEWAY_MEMORY) was so full that it gave "
            f"no answer for {STUCK_SECONDS:.0f} s, or somebody killed it"
        ) from gone
    raise TransientFailure("Spark has stopped in the SQL gateway; the lines above say why")


def _write(s: Settings, ended: deque[dict[str, object]]) -> None:
    file = s.home / "run" / "gateway.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    fresh = file.with_suffix(".new")
    fresh.write_text(json.dumps({"pid": os.getpid(), "ended": [*ended]}))
    fresh.replace(file)


if __name__ == "__main__":
    with reported():
        logs.begin(settings().log_format)
        run()
