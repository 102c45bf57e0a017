"""dbt's sources: every table of the lake outside gold, with the comments of its columns.

Data flow: Table -> dbt/models/sources/<layer>.yml
Run: make catalog
"""

from collections.abc import Iterator, Sequence

from batch.catalog.text import MADE_YAML, columns, described, quoted
from infra.lake.tables import LAYERS, WRITERS, Table


def files(tables: Sequence[Table]) -> Iterator[tuple[str, str]]:
    """For each layer: its name, and the text of its YAML file."""
    for layer, what in LAYERS.items():
        own = [table for table in tables if table.layer == layer]
        lines = [
            MADE_YAML.format(origin="the declarations of the tables"),
            "sources:",
            f"  - name: {layer}",
            f"    description: {quoted(f'{what} Written by the {WRITERS[layer]}.')}",
            "    tables:",
        ]
        for table in own:
            lines += [
                f"      - name: {table.name}",
                f"        description: {quoted(table.description)}",
                *described(columns(table.schema), 8),
            ]
        yield layer, "\n".join(lines) + "\n"
