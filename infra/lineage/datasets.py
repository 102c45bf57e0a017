"""Tables of the lake and topics of Kafka as OpenLineage's datasets: their names by its conventions, and what they hold.

Data flow: Table, topic -> dataset with schema, description, other names and the origins of its columns
Run: pytest tests/infra/lineage/test_emitter.py
Source: OpenLineage, "Dataset naming": `s3://<bucket>` and the path, `kafka://<host>:<port>` and the topic.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from openlineage.client.event_v2 import InputDataset, OutputDataset
from openlineage.client.facet_v2 import (
    DatasetFacet,
    column_lineage_dataset,
    documentation_dataset,
    schema_dataset,
    storage_dataset,
    symlinks_dataset,
)
from pyspark.sql.types import StructField, StructType

from infra.lake.columns import comment
from infra.lake.tables import Table
from infra.lineage.way import Way
from infra.settings import Settings


@dataclass(frozen=True)
class Place:
    """A dataset's name."""

    namespace: str
    name: str


@dataclass(frozen=True)
class Origin:
    """A column of a dataset, and how it was used; a field of a struct stands behind a dot."""

    place: Place
    column: str
    way: Way


Columns = Mapping[str, Iterable[Origin]]
"""The origins of each column; under the empty name those that decided which rows there are."""


def in_lake(s: Settings, id: str) -> Place:
    """A table of the lake, by its id, e.g. `layer/name`."""
    return Place(f"s3://{s.bucket}", id)


def in_kafka(s: Settings, topic: str) -> Place:
    """A topic."""
    return Place(f"kafka://{s.kafka_bootstrap.partition(',')[0]}", topic)


def in_gateway(s: Settings) -> str:
    """The namespace of tables as SQL names them."""
    return f"spark://{s.gateway_host}:{s.gateway_port}"


@dataclass(frozen=True)
class Data:
    """A dataset and what is known of it. `sql`: its name in SQL, where it has one."""

    place: Place
    schema: StructType | None = None
    description: str = ""
    sql: tuple[str, str] | None = None
    columns: Columns = field(default_factory=dict)

    def read(self) -> InputDataset:
        """As an input."""
        return InputDataset(self.place.namespace, self.place.name, facets=self._facets())

    def written(self) -> OutputDataset:
        """As an output, with the origins of its columns."""
        more: dict[str, DatasetFacet] = {"columnLineage": _lineage(self.columns)} if self.columns else {}
        return OutputDataset(self.place.namespace, self.place.name, facets=self._facets() | more)

    def bare(self) -> "Data":
        """The name alone, for events that come often."""
        return Data(self.place)

    def _facets(self) -> dict[str, DatasetFacet]:
        found: dict[str, DatasetFacet] = {}
        if self.schema is not None:
            found["schema"] = schema_dataset.SchemaDatasetFacet([_field(one) for one in self.schema])
        if self.description:
            found["documentation"] = documentation_dataset.DocumentationDatasetFacet(self.description)
        if self.sql:
            found["symlinks"] = symlinks_dataset.SymlinksDatasetFacet([symlinks_dataset.Identifier(*self.sql, "TABLE")])
            found["storage"] = storage_dataset.StorageDatasetFacet(storageLayer="delta", fileFormat="parquet")
        return found


def of_table(s: Settings, own: Table, columns: Columns | None = None) -> Data:
    """A table of the lake."""
    return Data(in_lake(s, own.id), own.schema, own.description, (in_gateway(s), own.sql), columns or {})


def of_topic(s: Settings, name: str, schema: StructType, description: str) -> Data:
    """A topic of Kafka; `schema`: the fields of its events."""
    return Data(in_kafka(s, name), schema, description)


def _field(one: StructField) -> schema_dataset.SchemaDatasetFacetFields:
    inner = [_field(each) for each in one.dataType] if isinstance(one.dataType, StructType) else []
    kind = "struct" if inner else one.dataType.simpleString()
    return schema_dataset.SchemaDatasetFacetFields(
        name=one.name, type=kind, description=comment(one) or None, fields=inner or None
    )


def _lineage(columns: Columns) -> column_lineage_dataset.ColumnLineageDatasetFacet:
    return column_lineage_dataset.ColumnLineageDatasetFacet(
        fields={
            name: column_lineage_dataset.Fields(inputFields=_inputs(found)) for name, found in columns.items() if name
        },
        dataset=_inputs(columns.get("", ())) or None,
    )


def _inputs(origins: Iterable[Origin]) -> list[column_lineage_dataset.InputField]:
    """One entry per column, with each way in which it was used."""
    ways: dict[tuple[str, str, str], list[Way]] = {}
    for one in sorted(origins, key=lambda one: (one.place.namespace, one.place.name, one.column, one.way)):
        ways.setdefault((one.place.namespace, one.place.name, one.column), []).append(one.way)
    return [
        column_lineage_dataset.InputField(
            *at,
            transformations=[
                column_lineage_dataset.Transformation("DIRECT" if way.is_direct else "INDIRECT", way.value)
                for way in found
            ],
        )
        for at, found in ways.items()
    ]
