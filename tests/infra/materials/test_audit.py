"""The audit: an advisory without exception fails it, an exception ends, and what was not asked is said."""

import json
from datetime import date, datetime
from pathlib import Path

import pytest

from infra.materials import audit, go_advisories, python_advisories
from infra.materials.advisory import Advisory, Answer, Exemption, exemptions, idle
from infra.materials.licences import licences

FAULT = Advisory("GO-1", "store", "some/module v1", "v2")
TODAY = date(2026, 11, 28)


def exception(end: date, component: str = "store") -> Exemption:
    return Exemption(component, frozenset({"GO-1"}), "not called", end)


@pytest.mark.parametrize(
    ("found", "known", "bad"),
    [
        ([], [], False),
        ([FAULT], [], True),
        ([FAULT], [exception(TODAY)], False),
        ([FAULT], [exception(TODAY, "another")], True),
        ([FAULT], [exception(date(2026, 11, 27))], True),
        ([], [exception(date(2026, 11, 27))], True),
    ],
)
def test_only_an_exception_of_today_covers_its_advisory(
    found: list[Advisory], known: list[Exemption], bad: bool
) -> None:
    assert audit.is_bad([Answer("Go", "all", "a database", found)], known, TODAY) is bad


def test_an_open_advisory_and_what_was_not_asked_are_named() -> None:
    said = audit.lines([Answer("Go", "store", "a database, of 2026-11-05", [FAULT], "helm")], [], TODAY)
    assert said == [
        "Go: asked about store; known to a database, of 2026-11-05; 1 advisories",
        "  NOT ASKED about helm",
        "  OPEN GO-1 in store, through some/module v1; mended in v2",
    ]


def test_an_exception_that_nothing_needs_is_named() -> None:
    other = Exemption("store", frozenset({"GO-1", "GO-2"}), "not called", TODAY)
    assert idle([Answer("Go", "store", "a database", [FAULT])], [other]) == ["store GO-2"]


@pytest.mark.parametrize("missing", ["component", "ids", "reason", "end"])
def test_an_exception_has_a_reason_and_an_end(missing: str, tmp_path: Path) -> None:
    lines = {"component": '"store"', "ids": '["GO-1"]', "reason": '"not called"', "end": "2026-11-28"}
    kept = (f"{name} = {value}" for name, value in lines.items() if name != missing)
    file = tmp_path / "exceptions.toml"
    file.write_text("[[exception]]\n" + "\n".join(kept))
    with pytest.raises(ValueError, match="needs component, ids, reason and end"):
        exemptions(file)


def test_the_committed_exceptions_can_be_read() -> None:
    assert all(one.ids for one in exemptions())


def test_a_release_that_the_index_lacks_was_not_asked_about() -> None:
    packages = [
        {"name": "a", "version": "1", "vulns": [{"id": "PYSEC-1", "fix_versions": ["2"]}]},
        {"name": "b", "skip_reason": "not found"},
    ]
    said = python_advisories.read(json.dumps({"dependencies": packages}), "2026-11-28")
    assert said.found == [Advisory("PYSEC-1", "a", "a 1", "2")]
    assert said.asked == "1 of 2 packages"
    assert said.not_asked.endswith("does not show: b")


def test_advisories_of_go_are_read_once_with_the_databases_date() -> None:
    finding = {"finding": {"osv": "GO-1", "fixed_version": "v2", "trace": [{"module": "some/module", "version": "v1"}]}}
    text = "\n".join(map(json.dumps, [{"config": {"db_last_modified": "2026-11-05T23:49:57Z"}}, finding, finding]))
    assert go_advisories.read(text, "store") == ("2026-11-05", [FAULT])


def test_the_pinned_database_lists_the_modules_of_its_advisories(tmp_path: Path) -> None:
    (source := tmp_path / "osv").mkdir()
    (place := tmp_path / "database").mkdir()
    entry = {"id": "GO-1", "modified": "2026-01-01", "affected": [{"package": {"name": "some/module"}}]}
    (source / "GO-1.json").write_text(json.dumps(entry))
    go_advisories.as_database(source, place, datetime(2026, 11, 5))
    (module,) = json.loads((place / "index" / "modules.json").read_text())
    assert module == {"path": "some/module", "vulns": [{"id": "GO-1", "modified": "2026-01-01"}]}
    assert json.loads((place / "ID" / "GO-1.json").read_text()) == entry


def test_a_component_without_a_licence_is_unknown() -> None:
    parts = [
        {"name": "a", "version": "1", "licenses": [{"license": {"id": "MIT"}}]},
        {"group": "org", "name": "b", "version": "2"},
    ]
    rows = licences(json.dumps({"components": parts}))
    assert rows == [("a", "1", "MIT"), ("org:b", "2", "unknown")]
