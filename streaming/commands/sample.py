"""The command `sample`: a golden day for a project's tests, from real records.

Data flow: silver, quarantine of a day -> records of a few keys, masked -> terminal, or a folder
Run: daybreak sample --day 2026-01-31 --keys 50 --to tests/day
"""

import secrets
from pathlib import Path
from typing import Annotated

import typer

from infra.dates import day_of
from infra.failures import PermanentFailure
from infra.owner_file import put, turn
from infra.settings import settings
from streaming.contracts import CONTRACTS
from streaming.contracts.contract import Contract
from streaming.golden.masking import Masking, refuse
from streaming.golden.record import EXPECTED, RECORDS
from streaming.golden.sample import Sample
from streaming.golden.sample import sample as taken

commands = typer.Typer()
KEY_FILE = "masking.key"
"""In the home: with it the pseudonyms are the same each time, and without it nobody finds out the values."""


@commands.command()
def sample(
    day: Annotated[str, typer.Option("--day", help="The day (UTC), YYYY-MM-DD.")],
    keys: Annotated[int, typer.Option(help="How many keys of each topic.", min=1, max=10_000)] = 50,
    topics: Annotated[list[str] | None, typer.Option("--topic", help="Only this topic; may be given again.")] = None,
    to: Annotated[Path | None, typer.Option(help="Write the records into this folder.", file_okay=False)] = None,
) -> None:
    """Write the records of some keys of a day, masked as the contracts ask: a golden day for tests."""
    contracts = _contracts(topics)
    found = taken(day_of(day), keys, contracts, _masking(contracts))
    if not found.records:
        raise PermanentFailure(
            f"silver and quarantine have no record of {day} of {', '.join(one.topic for one in contracts)}"
        )
    if to is None:
        for one in found.records:
            print(one.line)
        return
    to.mkdir(parents=True, exist_ok=True)
    (to / RECORDS).write_text("".join(f"{one.line}\n" for one in found.records))
    (to / EXPECTED).unlink(missing_ok=True)
    print(
        f"{to / RECORDS}: {summary(found)}. Next:\n  python -m streaming.golden {to}    # keeps what both layers say of them"
    )


def summary(found: Sample) -> str:
    """How many records it has."""
    rejected = sum(one.late_by_ms is None for one in found.records)
    late = sum(bool(one.late_by_ms) for one in found.records)
    left_out = f"; left out, because they cannot be masked: {found.left_out:,}" if found.left_out else ""
    return f"{len(found.records):,} records, {late:,} of them late, {rejected:,} rejected{left_out}"


def _contracts(topics: list[str] | None) -> list[Contract]:
    if unknown := [one for one in topics or () if one not in CONTRACTS]:
        raise PermanentFailure(f"there is no topic {unknown[0]}; there is {', '.join(CONTRACTS)}")
    found = [one for topic, one in CONTRACTS.items() if not topics or topic in topics]
    for one in found:
        refuse(one)
    return found


def _masking(contracts: list[Contract]) -> Masking:
    if not any(one.masked for one in contracts):
        return Masking(b"")
    file = settings().home / KEY_FILE
    with turn(file):
        if not file.exists():
            put(file, secrets.token_hex(32))
    return Masking(bytes.fromhex(file.read_text()))
