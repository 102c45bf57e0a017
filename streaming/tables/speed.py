"""Speed: a log of the rows that the stream computed for each view, and the current row of each key.

Data flow: rows of a view that a micro-batch changed -> speed/<view>
Run: pytest tests/streaming/test_view_state.py
"""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from infra.lake.columns import column, struct
from infra.lake.tables import Table
from streaming.views.view import View

SAID = [
    column("is_final", "boolean", "Has the watermark passed the row's close? Until then the row may still change"),
    column("is_removed", "boolean", "Has the row ceased to exist? Its values are the last ones before"),
    column("as_of", "timestamp", "When the micro-batch started that wrote the row (UTC)"),
    column("batch_id", "bigint", "That micro-batch; -1 is the initial write of a new generation"),
    column("generation", "string", "Generation of the checkpoint that wrote the row"),
    column("definition", "string", "Version of the view's definition"),
]
"""Whether the row is final, and whether it is gone; when the stream wrote it, in which micro-batch of which checkpoint, and
by which version of the view."""


def speed_table(view: View) -> Table:
    """The declaration of speed/<view>."""
    description = f"{view.description} As the stream knew it at as_of. Append-only: the newest row of a key is current."
    return Table("speed", view.name, struct(*view.schema, *SAID), description=description)


def latest_rows(view: View, speed: DataFrame) -> DataFrame:
    """The current rows of a speed table: per key and day the preferred candidate, and of its versions the latest."""
    return view.answer(speed, F.col("as_of").desc(), F.col("batch_id").desc()).where(~F.col("is_removed"))
