"""Look at the platform for problems that no check has kept: what fails, and what does nothing while there is work.

Data flow: looks -> `<home>/problems/look.<name>.json`; all kept problems -> list
Run: daybreak status --problems

A look that cannot be made, e.g. because Kafka does not answer, leaves what it found before as it stands, and says so.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial

from batch.status.unsettled import settled, unsettled
from infra import problems, room
from infra.airflow.problems import RUNS, failed, paused, unended
from infra.failures import PermanentFailure, TransientFailure
from infra.problems import Problem
from infra.services import health, replicas, standing_still
from infra.settings import Settings
from infra.tls import problems as certificates
from streaming.hooks import hooks, said_in
from streaming.hooks import problems as of_project
from streaming.notify import problems as notify

Look = Callable[[Settings], Iterable[Problem]]

DAG = "nightly"


def airflow(s: Settings) -> list[Problem]:
    """The nights in Airflow; what was known, if Airflow is not started."""
    if s.embedded("airflow_url") and health.port("127.0.0.1", s.airflow_port):
        return problems.of_source(s, "look.airflow")
    # Imported here because the import takes a second.
    from infra.airflow.client import Airflow

    client = Airflow(s)
    runs = client.last_runs(DAG, RUNS)
    done = settled(s)
    return [*paused(DAG, client.is_paused(DAG), runs), *failed(runs, done, s.airflow_url), *unended(runs, done)]


LOOKS: Mapping[str, Look] = {
    "disks": room.problems,
    "certificates": certificates.look,
    "replicas": replicas.look,
    "stream": standing_still.stream,
    "notify": notify.look,
    "days": unsettled,
    "airflow": airflow,
}
"""Looks by name, of a platform that is up."""


def all_looks() -> dict[str, Look]:
    """The platform's, and those of the project in force. Raises PermanentFailure if two have one name."""
    if twice := sorted(LOOKS.keys() & hooks().looks.keys()):
        raise PermanentFailure(f"{said_in('looks')} has a look `{twice[0]}`, and so has the platform: rename it")
    return {**LOOKS, **{name: partial(of_project, name, said) for name, said in hooks().looks.items()}}


def look(s: Settings, looks: Mapping[str, Look] | None = None) -> list[Problem]:
    """Look now, and return every problem, the oldest first."""
    unkept: list[Problem] = []
    for name, looked in (all_looks() if looks is None else looks).items():
        found, keep = list[Problem](), problems.keep
        try:
            found = list(looked(s))
        except (PermanentFailure, TransientFailure) as failure:
            what = f"what {name} may have cannot be seen: {failure}"
            found, keep = [Problem(f"look.failed/{name}", what, "daybreak status")], problems.add
        try:
            keep(s, f"look.{name}", found)
        except OSError:
            # On a full disk it cannot be written down, and is told all the same.
            unkept += [replace(one, since=datetime.now(UTC)) for one in found]
    kept = problems.problems(s)
    return [*kept, *(one for one in unkept if one.id not in {other.id for other in kept})]
