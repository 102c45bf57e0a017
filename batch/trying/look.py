"""How far a try is, and whether the platform has settled anything without it.

Data flow: the try's stream, its decisions and settlements; the platform's settlements and ledger -> sentences
Run: daybreak promote
"""

from datetime import date
from typing import Any

from batch.corrections.ledger import CORRECTIONS
from batch.settlement.decisions import DECISIONS, Decision
from batch.settlement.settlements import SETTLEMENTS
from infra.lake import arrow_tables
from infra.lake.reader import exists, read
from infra.lake.tables import Table
from infra.services import stream
from infra.services.fork import Fork
from infra.services.program import Name
from infra.services.supervisor import Supervisor
from infra.settings import Settings
from streaming.monitor.catch_up import behind


def settled(s: Settings) -> dict[str, Any]:
    """What a night of the platform changes of what is served: the run of each settled day, and the number of corrections."""
    runs = {str(row["day"]): row["run"] for row in _rows(s, SETTLEMENTS, "day", "run")}
    corrections = arrow_tables.count(CORRECTIONS) if arrow_tables.exists(CORRECTIONS) else 0
    return {"runs": dict(sorted(runs.items())), "corrections": corrections}


def asked(s: Settings) -> list[date]:
    """The days that wait for an approval."""
    done = {row["day"] for row in _rows(s, SETTLEMENTS, "day")}
    newest: dict[date, Any] = {}
    for row in sorted(_rows(s, DECISIONS, "day", "number", "decision"), key=lambda row: row["number"]):
        newest[row["day"]] = row["decision"]
    return sorted(day for day, decision in newest.items() if decision == Decision.REQUESTED.value and day not in done)


def waits_for(fork: Fork) -> str | None:
    """What its stream has to do before it says what the platform's would, in words; None: it is as far, but for a micro-batch."""
    supervisor = Supervisor(fork.own)
    pid = supervisor.processes()[Name.STREAM].pid if supervisor.is_running() else 0
    if wants := stream.program(fork.own).waits_for(pid) if pid else "its process to start":
        return wants
    unread = behind(fork.own)
    return str(unread) if unread.records > max(fork.of.max_offsets_per_trigger, behind(fork.of).records) else None


def _rows(s: Settings, table: Table, *columns: str) -> list[dict[str, Any]]:
    return read(s, table.id, list(columns)).to_pylist() if exists(s, table.id) else []
