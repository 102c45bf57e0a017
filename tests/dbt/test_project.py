"""The dbt project says what every table and column is, and knows every view.

Data flow: dbt/ -> files and their descriptions -> what is missing
Run: pytest tests/dbt/test_project.py
"""

from pathlib import Path
from typing import Any

import pytest
import yaml

from streaming.contracts import CONTRACTS
from streaming.views import VIEWS

DBT = Path(__file__).resolve().parents[2] / "dbt"
KEY_TESTS = ("is_key", "is_true_history")
FACTS = "".join((DBT / "macros" / name).read_text() for name in ("facts.sql", "shop/own.sql"))
TESTS = {file.stem: file.read_text() for file in (DBT / "tests").rglob("*.sql")}


OWN_TEST = {"fct_order_states": "an_orders_states_follow_one_another"}
"""A model whose key has a test of its own."""
SETTLED = "settled days"
"""In `meta.of`: all rows of the fact are settled."""


def declared(folder: str, key: str) -> list[dict[str, Any]]:
    """All `sources` or `models` of the YAML files of a folder."""
    return [
        entry
        for file in sorted((DBT / "models" / folder).rglob("*.yml"))
        for entry in yaml.safe_load(file.read_text())[key]
    ]


SOURCES = {
    f"{source['name']}.{table['name']}": table
    for source in declared("sources", "sources")
    for table in source["tables"]
}
MODELS = {model["name"]: model for folder in ("staging", "marts") for model in declared(folder, "models")}


def test_every_model_is_described() -> None:
    assert {file.stem for file in (DBT / "models").rglob("*.sql")} == set(MODELS)


@pytest.mark.parametrize("name", [*SOURCES, *MODELS])
def test_every_column_is_described(name: str) -> None:
    table = SOURCES.get(name) or MODELS[name]
    assert table["description"]
    assert table["columns"]
    for column in table["columns"]:
        assert column["description"], f"{name}.{column['name']}"


@pytest.mark.parametrize("name", [name for name in MODELS if name.startswith("fct_")])
def test_every_row_of_a_fact_says_how_sure_it_is(name: str) -> None:
    if MODELS[name].get("config", {}).get("meta", {}).get("of") == SETTLED:
        assert "settled days" in MODELS[name]["description"]
        return
    assert {"status", "is_final", "revisions"} <= {column["name"] for column in MODELS[name]["columns"]}
    if not any("is_true_history" in test for test in MODELS[name].get("data_tests", [])):
        assert "status" in MODELS[name]["config"]["meta"]["present"]
        view = name.removeprefix("fct_")
        assert view in VIEWS or f"'{name}'" in FACTS, "no test looks at it"


@pytest.mark.parametrize("name", list(MODELS))
def test_every_model_has_a_tested_key(name: str) -> None:
    if any(kind in test for test in MODELS[name].get("data_tests", []) for kind in KEY_TESTS):
        return
    meta = MODELS[name]["config"]["meta"]
    assert {*meta["key"], *meta.get("present", [])} <= {column["name"] for column in MODELS[name]["columns"]}
    _, _, of = name.partition("__") if name.startswith("stg_") else name.partition("_")
    if name in OWN_TEST:
        assert f"ref('{name}')" in TESTS[OWN_TEST[name]]
        return
    listed = TESTS["keys_of_staging" if name.startswith("stg_") else "keys_of_gold"] + FACTS
    assert of in VIEWS or of in CONTRACTS or f"'{name}'" in listed


def test_names_say_what_a_model_is() -> None:
    for file in (DBT / "models" / "staging").rglob("*.sql"):
        source, _, of = file.stem.removeprefix("stg_").partition("__")
        # A view's and a topic's are made by make catalog.
        assert f"source('{source}', " in file.read_text() or of in VIEWS or of in CONTRACTS, file.name
    for file in (DBT / "models" / "marts").rglob("*.sql"):
        assert file.stem.split("_")[0] in ("fct", "dim", "rpt"), file.name
        assert "source(" not in file.read_text(), f"{file.name} reads past staging"
