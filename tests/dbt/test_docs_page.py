"""dbt's docs in a browser: they open under their policy, and markup in what they describe runs nothing and asks nobody."""

import json
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest
from browser import CHROMIUM, Page, browser
from hostile import Ears, ears

from infra.failures import PermanentFailure
from infra.settings import ROOT, Settings
from infra.sql import docs
from infra.sql.gold import dbt_environment

DBT = ROOT / "dbt"
CATALOG = {"nodes": {}, "sources": {}, "errors": None, "metadata": {}}
MODEL = "model.daybreak.fct_orders"


def written(home: Path, markup: str) -> str:
    """The page as `dbt docs generate --static` writes it, with markup in every description."""
    # It takes seconds to import, which the quick tests do without.
    from dbt.cli.main import dbtRunner

    with pytest.MonkeyPatch.context() as environment:
        for name, value in dbt_environment(Settings(home=home, gateway_port=1)).items():
            environment.setenv(name, value)
        command = ["--quiet", "parse", "--no-partial-parse", "--project-dir", str(DBT), "--profiles-dir", str(DBT)]
        assert dbtRunner().invoke(command).success
    manifest = json.loads((home / "dbt" / "target" / "manifest.json").read_text())
    for node in (*manifest["nodes"].values(), *manifest["sources"].values(), *manifest["docs"].values()):
        for name in ("description", "raw_code", "block_contents"):
            if name in node:
                node[name] += f" {markup}"
        for column in node.get("columns", {}).values():
            column["description"] += markup
    found = find_spec("dbt")
    assert found
    assert found.submodule_search_locations
    template = (Path(found.submodule_search_locations[0]) / "task" / "docs" / "index.html").read_text()
    for name, data in (("MANIFEST", manifest), ("CATALOG", CATALOG)):
        assert f'"{name}.JSON INLINE DATA"' in template
        template = template.replace(f'"{name}.JSON INLINE DATA"', json.dumps(data))
    return template


@pytest.fixture(scope="module")
def server() -> Iterator[Ears]:
    with ears() as own:
        yield own


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory, server: Ears) -> str:
    return written(tmp_path_factory.mktemp("docs"), server.markup)


@pytest.fixture(scope="module")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    with browser(tmp_path_factory.mktemp("chromium")) as tab:
        yield tab


def test_a_page_that_dbt_writes_otherwise_is_refused() -> None:
    with pytest.raises(PermanentFailure, match="another way"):
        docs.sealed("<html><head></head></html>")


@pytest.mark.slow
@pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium on this machine")
def test_markup_in_a_description_runs_nothing(chromium: Page, server: Ears, page: str, tmp_path: Path) -> None:
    file = tmp_path / "static_index.html"
    file.write_text(page)
    chromium.open(file, 1280, dark=False)
    chromium.ask("new Promise(done => setTimeout(done, 500))")
    # As dbt writes it: so the markup is worth its name.
    assert server.heard != []
    server.heard.clear()
    docs.seal(file)
    sealed = file.read_text()
    chromium.open(file, 1280, dark=False)
    chromium.ask(f"location.hash = '#!/model/{MODEL}'")
    shown = """new Promise(done => {
        const look = () => document.body.innerText.includes("fct_orders") ? done(true) : setTimeout(look, 50);
        look(); setTimeout(() => done(false), 20000);
    })"""
    assert chromium.ask(shown)
    chromium.ask("new Promise(done => setTimeout(done, 500))")
    assert chromium.ask("document.title") != "1"
    assert server.heard == []
    assert not [url for url in chromium.requests if url.startswith("http") and not url.startswith(server.at)]
    docs.seal(file)
    assert file.read_text() == sealed
