"""The command `alerts`: the stream's alerts, as consumers read them from Kafka.

Data flow: topic `alerts`, committed records -> one JSON object per line
Run: daybreak alerts --follow
"""

from contextlib import suppress
from typing import Annotated

import typer

from infra.failures import PermanentFailure
from infra.kafka.read_committed import committed, partitions
from infra.settings import settings

commands = typer.Typer()


@commands.command()
def alerts(
    follow: Annotated[bool, typer.Option("--follow", "-f", help="Keep printing new ones until Ctrl-C.")] = False,
) -> None:
    """Print the alerts in Kafka from the first on, one JSON object per line: each is raised once, and perhaps withdrawn.

    A late event withdraws an alert by the night's correction: see `daybreak corrections --view fraud_alerts`.
    """
    topic = settings().alerts_topic
    if not partitions(topic):
        raise PermanentFailure(f"no topic {topic!r} in Kafka yet: the stream creates it with its first alert")
    with suppress(KeyboardInterrupt):
        for record in committed(topic, follow):
            print((record.value() or b"{}").decode(), flush=follow)
