"""dbt's artifacts as run events by OpenLineage's own processor, with tables named as stream and night name them.

Data flow: manifest.json, run_results.json -> DbtLocalArtifactProcessor -> runs of models and tests
Run: pytest tests/dbt/test_lineage.py

The processor knows a table by its name in SQL. A table of the lake has its place in the bucket as its name here, as elsewhere in
our lineage, and the other one as a symlink; a view has no place, and keeps its name in SQL.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from openlineage.client.facet_v2 import column_lineage_dataset, symlinks_dataset
from openlineage.common.provider.dbt.facets import ParentRunMetadata
from openlineage.common.provider.dbt.local import DbtLocalArtifactProcessor

from infra.lineage.datasets import Place, in_gateway, in_lake
from infra.lineage.runs import PRODUCER, Lineage, Told, Work
from infra.settings import Settings
from infra.sql.models import models

GOLD = Work("gold", "Builds and tests gold by dbt.", type="JOB")


class Build(Told):
    """A run of dbt."""

    def __init__(self, s: Settings, lineage: Lineage) -> None:
        self._settings = s
        super().__init__(lineage, lineage.began(GOLD))

    def ran(self) -> None:
        """Say what dbt did in the run that has just ended; one that ended before it did anything has no results."""
        with self._lineage.unharmed():
            processor = Artifacts(self._settings)
            if not Path(processor.run_result_path).exists():
                return
            processor.dbt_run_metadata = ParentRunMetadata(
                run_id=self._run.id, job_name=GOLD.name, job_namespace=self._settings.lineage_namespace
            )
            for event in processor.parse().events():
                self._lineage.emitter.emit(event)


class Artifacts(DbtLocalArtifactProcessor):  # type: ignore[misc]
    """The processor, on the artifacts of our own dbt."""

    def __init__(self, s: Settings) -> None:
        super().__init__(
            producer=PRODUCER,
            job_namespace=s.lineage_namespace,
            project_dir=str(models(s)),
            target_path=str(s.home / "dbt" / "target"),
            # A model in a state that the processor does not know is left out, and the others are told.
            skip_errors=True,
        )
        self._settings = s
        self._places: dict[str, Place] = {}
        self._known: set[str] = set()

    def get_dbt_metadata(self) -> tuple[dict[Any, Any], dict[Any, Any], dict[Any, Any], None]:
        """Manifest, results, profile; no catalog, which only the docs have."""
        manifest, results = (json.loads(Path(one).read_text()) for one in (self.manifest_path, self.run_result_path))
        if results["args"]["which"] == "retry":
            # What was not built before is built: the processor knows no retries.
            results["args"]["which"] = "build"
        for one in (*manifest["sources"].values(), *manifest["nodes"].values()):
            self._known.add(_sql(one))
            if place := _place(self._settings, one):
                self._places[_sql(one)] = place
        s = self._settings
        return (
            manifest,
            results,
            {"type": "spark", "method": "thrift", "host": s.gateway_host, "port": s.gateway_port},
            None,
        )

    def extract_dataset_data(
        self, node: Any, assertions: Any, has_facets: bool = False
    ) -> tuple[str, str, dict[str, Any], dict[str, Any]]:
        """Name and facets of a model or a source."""
        _, sql, facets, own = super().extract_dataset_data(node, assertions, has_facets)
        place = self._named(sql)
        if place.name != sql and has_facets:
            other = symlinks_dataset.Identifier(in_gateway(self._settings), sql, "TABLE")
            facets["symlinks"] = symlinks_dataset.SymlinksDatasetFacet([other])
        return place.namespace, place.name, facets, own

    def get_column_lineage(
        self, namespace: str, compiled_sql: str
    ) -> column_lineage_dataset.ColumnLineageDatasetFacet | None:
        """Of a model's SQL, by OpenLineage's parser. It takes some of a query's own names for tables: these are left out."""
        found: column_lineage_dataset.ColumnLineageDatasetFacet | None
        found = super().get_column_lineage(namespace, compiled_sql)
        if found is None:
            return None
        for field in found.fields.values():
            field.inputFields = [one for one in field.inputFields if one.name in self._known]
            for origin in field.inputFields:
                place = self._named(origin.name)
                origin.namespace, origin.name = place.namespace, place.name
        found.fields = {name: field for name, field in found.fields.items() if field.inputFields}
        return found if found.fields else None

    def _named(self, sql: str) -> Place:
        return self._places.get(sql) or Place(in_gateway(self._settings), sql)


def _sql(node: Mapping[str, Any]) -> str:
    return f"{node['schema']}.{node.get('alias') or node['name']}"


def _place(s: Settings, node: Mapping[str, Any]) -> Place | None:
    """Where in the bucket a source or a table is; None of a view and of a test, which are nowhere."""
    if node["resource_type"] == "source":
        return in_lake(s, f"{node['schema']}/{node['name']}")
    root = str(node["config"].get("location_root") or "")
    if node["config"].get("materialized") not in ("table", "incremental") or not root.startswith(f"{s.lake}/"):
        return None
    return in_lake(s, f"{root.removeprefix(f'{s.lake}/')}/{node['alias']}")
