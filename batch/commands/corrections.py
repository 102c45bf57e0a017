"""The command `corrections`: the nights' corrections, as consumers read them from Kafka.

Data flow: topic `corrections`, committed records -> one JSON object per line
Run: daybreak corrections --follow
"""

import json
from contextlib import suppress
from datetime import datetime
from typing import Annotated

import typer

from infra.failures import PermanentFailure
from infra.kafka.read_committed import committed, partitions
from infra.settings import settings

commands = typer.Typer()


@commands.command()
def corrections(
    follow: Annotated[bool, typer.Option("--follow", "-f", help="Keep printing new ones until Ctrl-C.")] = False,
    view: Annotated[str | None, typer.Option(help="Only this view.")] = None,
    day: Annotated[datetime | None, typer.Option(formats=["%Y-%m-%d"], help="Only this day (UTC).")] = None,
) -> None:
    """Print the corrections in Kafka from the first on, one JSON object per line; null means: no such row."""
    topic = settings().corrections_topic
    if not partitions(topic):
        raise PermanentFailure(f"no topic {topic!r} in Kafka yet: the first night creates it")
    with suppress(KeyboardInterrupt):
        for record in committed(topic, follow):
            text = (record.value() or b"{}").decode()
            found = json.loads(text)
            if view in (None, found.get("view")) and (day is None or found.get("day") == f"{day:%Y-%m-%d}"):
                print(text, flush=follow)
