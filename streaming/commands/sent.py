"""Output of the traffic commands: progress while sending, then how many records the broker accepted or rejected.

Data flow: Sender's counts -> table, one line of JSON
Run: daybreak shop --days 1 --json
"""

import json

from rich.progress import BarColumn, Progress, ProgressColumn, Task, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from infra.commands.screen import Screen
from infra.failures import PermanentFailure
from infra.kafka.send import Sender


class Rate(ProgressColumn):
    """Records sent, and records per second."""

    def render(self, task: Task) -> Text:
        """The two numbers."""
        sent = int(task.fields["sent"])
        return Text(f"{sent:,} events  {sent / (task.elapsed or 1):,.0f}/s")


def bar() -> Progress:
    """A progress bar on standard error, drawn on a terminal only; its tasks need a field `sent`."""
    console = Screen(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), Rate(), TimeElapsedColumn())
    return Progress(*columns, console=console, disable=not console.is_terminal)


def report(sender: Sender, counts: dict[str, int], seconds: float, as_json: bool) -> None:
    """Print the counts. Raises PermanentFailure if the broker did not take everything."""
    rejected = {f"{topic}: {error}": count for (topic, error), count in sorted(sender.rejected.items())}
    table = Table("what", "records", title="sent to Kafka")
    table.columns[1].justify = "right"
    for name, count in counts.items():
        table.add_row(name, f"{count:,}")
    table.add_section()
    for topic, count in sorted(sender.acked.items()):
        table.add_row(f"acked in {topic}", f"{count:,}")
    for name, count in rejected.items():
        table.add_row(f"[red]rejected in {name}", f"[red]{count:,}")
    acked = sender.acked.total()
    table.caption = f"{seconds:.1f} s, {acked / max(seconds, 0.001):,.0f} records/s"
    Screen().print(table)
    if as_json:
        summary = {"counts": counts, "acked": dict(sender.acked), "rejected": rejected, "seconds": round(seconds, 3)}
        print(json.dumps(summary), flush=True)
    if rejected:
        raise PermanentFailure(
            f"{sender.rejected.total():,} of {acked + sender.rejected.total():,} records were rejected: see the table"
        )
