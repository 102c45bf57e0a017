"""The command `send`: lines of your own into the log.

Data flow: file or standard input -> Kafka; counts -> table, JSON, ledger
Run: daybreak send TOPIC events.jsonl
"""

import sys
import time
from collections import Counter
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

import typer

from infra.failures import PermanentFailure
from infra.kafka import acls
from infra.kafka.delivery_log import Ledger
from infra.kafka.lines import lines, read_key
from infra.kafka.login import act_as
from infra.kafka.send import Sender
from infra.kafka_users import User
from infra.settings import settings
from streaming.commands.sent import bar, report
from streaming.contracts import CONTRACTS
from streaming.own_writers import own_writer
from streaming.sent_topics import sent_topics

commands = typer.Typer()

LedgerFile = Annotated[Path | None, typer.Option("--ledger", help="Append one JSON line per record to this file.")]
Payloads = Annotated[bool, typer.Option("--payloads", help="Keep key and value (base64) in the ledger too.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print the counts as one line of JSON at the end.")]


@commands.command()
def send(
    topic: str,
    file: Annotated[
        Path | None, typer.Argument(help="Newline-separated JSON; standard input if left out or -.")
    ] = None,
    key: Annotated[str | None, typer.Option(help="Field with the Kafka key; default: the contract's key.")] = None,
    ledger: LedgerFile = None,
    payloads: Payloads = False,
    as_json: AsJson = False,
) -> None:
    """Send newline-separated JSON to TOPIC, byte for byte. A line whose key cannot be read is sent without a key."""
    counts: Counter[str] = Counter({"lines": 0})
    started = time.monotonic()
    if said := own_writer(settings(), topic, User.SENDER):
        raise PermanentFailure(said)
    with ExitStack() as stack:
        field = key or key_field(topic)
        # Whoever is at the command line may write a topic of their own, too: a sender may not.
        if topic in CONTRACTS:
            act_as_sender()
        if file is None or file == Path("-"):
            source = sys.stdin.buffer
        else:
            try:
                source = stack.enter_context(file.open("rb"))
            except OSError as failure:
                raise PermanentFailure(f"{file} cannot be read: {failure.strerror}") from None
        book = stack.enter_context(Ledger(ledger, payloads)) if ledger else None
        sender = stack.enter_context(Sender([topic], book))
        shown = stack.enter_context(bar())
        task = shown.add_task(topic, total=None, sent=0)
        for value in lines(source):
            counts["lines"] += 1
            if value in (b"", b"\r"):
                counts["empty lines, skipped"] += 1
                continue
            record_key, event_id = read_key(value, field)
            counts["without a readable key"] += record_key is None
            sender.send(topic, record_key, value, event_id)
            if counts["lines"] % 500 == 0:
                shown.update(task, sent=counts["lines"])
    report(sender, dict(counts), time.monotonic() - started, as_json)


def act_as_sender() -> None:
    """Log in as whoever sends events, who may write the topics of the contracts as they are now: one may have come since."""
    act_as(User.OWNER)
    if settings().embedded("kafka_bootstrap"):
        acls.write(settings(), sent_topics(settings()))
    act_as(User.SENDER)


def key_field(topic: str) -> str:
    """The field that keys a topic. Raises PermanentFailure where no contract names it."""
    contract = CONTRACTS.get(topic)
    if contract is None:
        raise PermanentFailure(
            f"{topic!r} is no topic of the platform ({', '.join(CONTRACTS)}); for another one name the field of its key: --key"
        )
    return contract.key
