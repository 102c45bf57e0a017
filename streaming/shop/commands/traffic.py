"""The command `shop`: the traffic of a simulated shop.

Data flow: simulator -> Kafka; counts -> table, JSON, ledger
Run: daybreak shop --days 1
"""

import time
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack, nullcontext
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Annotated

import typer
from rich.progress import Progress

from infra.failures import PermanentFailure
from infra.kafka.delivery_log import Ledger
from infra.kafka.send import Sender
from infra.settings import settings
from infra.shop.day import DAY_MS
from infra.shop.db.connection import connected
from infra.shop.db.write import Writer, following
from infra.shop.deliver import Sent, deliver, now_ms
from infra.shop.faults import Faults
from infra.shop.options import ORDER_SERVICE, SHOP_DB
from infra.shop.orders.commands import TOPIC as COMMANDS
from infra.shop.orders.progress import progress
from infra.shop.run import Run
from infra.shop.story import TOPICS
from streaming.commands.send import AsJson, LedgerFile, Payloads, act_as_sender
from streaming.commands.sent import bar, report

commands = typer.Typer()

LIVE_JITTER = 2.0
"""Largest delay (seconds) between event and sending in a live run: small, so that freshness measures the stream."""


@commands.command()
def shop(
    days: Annotated[int, typer.Option(min=0, help="Past days to send.")] = 3,
    end: Annotated[
        datetime | None, typer.Option(formats=["%Y-%m-%d"], help="Last day to send (UTC); default: yesterday.")
    ] = None,
    rate: Annotated[float, typer.Option(min=0.001, help="Valid events per second of event time, daily mean.")] = 0.85,
    seed: Annotated[int, typer.Option(help="The same seed, days and rate give the same bytes in the same order.")] = 1,
    live: Annotated[int, typer.Option(min=0, help="Afterwards send live events for N seconds.")] = 0,
    live_rate: Annotated[
        float,
        typer.Option(min=0.001, help="Events per second while live; the first minute has fewer clicks and payments."),
    ] = 20.0,
    duplicates: Annotated[float, typer.Option(min=0, max=1, help="Share sent twice, seconds to a day apart.")] = 0.02,
    late: Annotated[float, typer.Option(min=0, max=1, help="Share sent minutes to two days late.")] = 0.01,
    malformed: Annotated[float, typer.Option(min=0, max=1, help="Share with an extra malformed copy.")] = 0.001,
    future: Annotated[float, typer.Option(min=0, max=1, help="Share with an extra future-dated copy.")] = 0.0002,
    jitter: Annotated[float, typer.Option(min=0, help="Largest delay from event to sending (s).")] = 20.0,
    ledger: LedgerFile = None,
    payloads: Payloads = False,
    as_json: AsJson = False,
) -> None:
    """Simulate a web shop: send past days as fast as Kafka accepts them, then live events in real time."""
    started = time.monotonic()
    today_ms = now_ms() // DAY_MS * DAY_MS
    yesterday = datetime.fromtimestamp(today_ms / 1000, UTC) - timedelta(days=1)
    last = end.replace(tzinfo=UTC) if end else yesterday
    if last > yesterday:
        raise PermanentFailure(f"--end {last:%Y-%m-%d} is not over yet (UTC): use {yesterday:%Y-%m-%d} or earlier")
    end_ms = int(last.timestamp() * 1000) + DAY_MS
    act_as_sender()
    # Future-dated events count from the next midnight, so that the same command gives the same bytes all day long.
    faults = Faults(duplicates, late, malformed, future, jitter)
    asks = settings().has(ORDER_SERVICE)
    past = Run(end_ms - days * DAY_MS, end_ms, rate, seed, today_ms + DAY_MS, faults, asks=asks)
    sent: Sent = Counter()
    with ExitStack() as stack:
        book = stack.enter_context(Ledger(ledger, payloads)) if ledger else None
        sender = stack.enter_context(Sender((*TOPICS, *([COMMANDS] if asks else [])), book))
        writer = Writer(stack.enter_context(connected(settings())), not asks) if settings().has(SHOP_DB) else None
        answered = stack.enter_context(progress()).wait if asks else lambda: None
        shown = stack.enter_context(bar())
        if days:
            _follow(shown, f"{days} past days", past, sender, sent, writer, answered)
        if live:
            start_ms = now_ms()
            stop_ms = start_ms + live * 1000
            prompt = replace(faults, jitter_seconds=min(jitter, LIVE_JITTER))
            present = Run(start_ms, stop_ms, live_rate, seed, stop_ms, prompt, live=True, asks=asks)
            _follow(shown, "live", present, sender, sent, writer, answered)
    counts: Counter[str] = Counter()
    for (_, kind), count in sorted(sent.items()):
        counts[kind] += count
    if writer:
        counts["transactions in the shop's database"] = writer.written
    report(sender, dict(counts), time.monotonic() - started, as_json)


def _follow(
    shown: Progress,
    name: str,
    run: Run,
    sender: Sender,
    sent: Sent,
    writer: Writer | None,
    together: Callable[[], None],
) -> None:
    task = shown.add_task(name, total=run.end_ms - run.start_ms, sent=0)
    total = 0

    def sent_on(new: int, reached_ms: int) -> None:
        nonlocal total
        total += new
        shown.update(task, sent=total, completed=reached_ms - run.start_ms)

    with following(run, writer) if writer else nullcontext(lambda reached_ms: None) as reached:
        deliver(run, sender, sent, sent_on, reached, together)
