"""The tables of the lake as Airflow assets, so that its UI shows what a night reads and writes.

Data flow: dbt's list of sources and models -> assets
Run: pytest tests/dags/test_dags.py
"""

import os
from pathlib import Path

import yaml
from airflow.sdk import Asset

ROOT = Path(__file__).resolve().parent.parent
OWN = Path(os.environ.get("DAYBREAK_HOME", ROOT / ".daybreak")) / "dbt" / "project"
"""The dbt project of a project that did not come along (batch/catalog/composed.py)."""
PLACES = (OWN, ROOT / "infra" / "sql" / "dbt", ROOT / "dbt")
"""The second is where the platform's wheel has the third (infra/installation.py)."""
MODELS = next(place for place in PLACES if place.exists()) / "models"


def table(layer: str, name: str) -> Asset:
    """One table of the lake. The scheme is made up: Airflow does not interpret a URI that begins with `x-`."""
    return Asset(name=f"{layer}/{name}", uri=f"x-daybreak://lake/{layer}/{name}", group="lake")


def layer(name: str) -> list[Asset]:
    """Every table of a layer, read from dbt's generated sources, so a new view needs no change here."""
    declared = yaml.safe_load((MODELS / "sources" / f"{name}.yml").read_text())
    return [table(name, entry["name"]) for source in declared["sources"] for entry in source["tables"]]


def gold() -> list[Asset]:
    """Every mart."""
    return [table("gold", model.stem) for model in sorted((MODELS / "marts").rglob("*.sql"))]
