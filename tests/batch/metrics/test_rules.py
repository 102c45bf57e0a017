"""Each query of the rules, of their tests and of the dashboard can be parsed, and asks for what `daybreak metrics` prints."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import promql_parser
import pytest
import yaml
from metrics_sample import PARTS, families
from promql_parser import AggregateExpr, Matcher, VectorSelector

from batch.status.metrics import read_parts
from infra import metrics
from infra.settings import Settings

FOLDER = Path(metrics.__file__).parent
RULES = [
    rule for group in yaml.safe_load((FOLDER / "daybreak.rules.yml").read_text())["groups"] for rule in group["rules"]
]
ALERTS = {rule["alert"]: rule for rule in RULES if "alert" in rule}
RECORDED = {rule["record"]: rule["expr"] for rule in RULES if "record" in rule}
DASHBOARD = json.loads((FOLDER / "dashboard.json").read_text())
PANELS = {panel["title"]: panel for panel in DASHBOARD["panels"]}
QUERIES = {
    **RECORDED,
    **{name: rule["expr"] for name, rule in ALERTS.items()},
    **{f"{name} {target['refId']}": target["expr"] for name, panel in PANELS.items() for target in panel["targets"]},
}
TESTS = [
    test
    for file in sorted((Path(__file__).parent / "rules").glob("*.yml"))
    for test in yaml.safe_load(file.read_text())["tests"]
]
"""The tests of the rules in Prometheus's own form, which promtool runs."""
OF_PROMETHEUS = {"instance", "job"}
CLOSED = ("condition", "outcome", "clock", "percentile")
"""Labels of which every value that there is has a sample."""


@pytest.fixture(scope="module")
def known(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, set[str]]]:
    """Per name that is printed, its labels and their values."""
    found: dict[str, dict[str, set[str]]] = {}
    for family in families(read_parts(Settings(home=tmp_path_factory.mktemp("home")), PARTS)):
        for sample in family.samples:
            own = found.setdefault(sample.name, {})
            for label, value in sample.labels.items():
                own.setdefault(label, set()).add(value)
    for record, query in RECORDED.items():
        found[record] = {label: set() for name in asked(query) for label in found[name.name]}
    return found


def asked(query: str) -> list[VectorSelector]:
    """What a query reads. Raises ValueError where it is no PromQL."""
    found: list[Any] = []
    promql_parser.walk(promql_parser.parse(query), found.append)
    return [one for one in found if isinstance(one, VectorSelector)]


def grouped(query: str) -> Iterator[str]:
    """Labels that its sums name."""
    found: list[Any] = []
    promql_parser.walk(promql_parser.parse(query), found.append)
    for one in found:
        if isinstance(one, AggregateExpr) and one.modifier:
            yield from one.modifier.labels


def named(matcher: Matcher) -> set[str]:
    return {*matcher.value.split("|")} if matcher.name in CLOSED else set()


@pytest.mark.parametrize("name", QUERIES)
def test_a_query_asks_for_what_is_printed(name: str, known: dict[str, dict[str, set[str]]]) -> None:
    query = QUERIES[name]
    assert asked(query)
    for one in asked(query):
        assert one.name in known
        labels = known[one.name]
        for matcher in one.matchers.matchers:
            assert matcher.name in {*labels, *OF_PROMETHEUS}
            assert named(matcher) <= labels.get(matcher.name, set())
        assert {*grouped(query)} <= {*labels, *OF_PROMETHEUS}


@pytest.mark.parametrize("name", ALERTS)
def test_an_alert_says_what_to_do_with_labels_that_it_has(name: str, known: dict[str, dict[str, set[str]]]) -> None:
    rule = ALERTS[name]
    assert rule["labels"]["severity"] in ("page", "ticket")
    said = " ".join(rule["annotations"][key] for key in ("summary", "description"))
    of = {label for one in asked(rule["expr"]) for label in known[one.name]}
    assert {*re.findall(r"\$labels\.(\w+)", said)} <= of
    assert said.count("{{") == said.count("}}")


def test_a_command_that_an_alert_names_is_one_of_ours() -> None:
    from batch.commands import COMMANDS

    said = (FOLDER / "daybreak.rules.yml").read_text()
    names = re.findall(r"`daybreak ([a-z-]+)", said)
    assert {*names} <= {*COMMANDS}
    assert len(names) > 10


def test_names_of_rules_are_unique_and_of_their_kind() -> None:
    assert len(RULES) == len(ALERTS) + len(RECORDED)
    assert all(re.fullmatch(r"daybreak:[a-z_]+:[a-z0-9]+", name) for name in RECORDED)
    assert all(re.fullmatch(r"Daybreak[A-Za-z]+", name) for name in ALERTS)


@pytest.mark.parametrize("name", ALERTS)
def test_an_alert_is_tried_where_it_fires_and_where_not(name: str) -> None:
    tried = [one for test in TESTS for one in test.get("alert_rule_test", []) if one["alertname"] == name]
    assert {bool(one["exp_alerts"]) for one in tried} == {True, False}


def test_what_is_recorded_is_tried() -> None:
    tried = {one["expr"] for test in TESTS for one in test.get("promql_expr_test", [])}
    assert tried == {*RECORDED}


@pytest.mark.parametrize("test", TESTS, ids=lambda test: test["name"])
def test_rules_are_tried_with_what_is_printed(test: dict[str, Any], known: dict[str, dict[str, set[str]]]) -> None:
    for (one,) in (asked(series["series"]) for series in test["input_series"]):
        assert {matcher.name for matcher in one.matchers.matchers} - OF_PROMETHEUS == {*known[one.name]}
        for matcher in one.matchers.matchers:
            assert named(matcher) <= known[one.name].get(matcher.name, set())


def test_panels_lie_side_by_side_and_take_any_prometheus() -> None:
    cells = [
        (x, y)
        for at in (panel["gridPos"] for panel in PANELS.values())
        for x in range(at["x"], at["x"] + at["w"])
        for y in range(at["y"], at["y"] + at["h"])
    ]
    assert len(cells) == len({*cells})
    assert max(x for x, _ in cells) == 23
    panels = DASHBOARD["panels"]
    assert [panel["id"] for panel in panels] == list(range(1, len(panels) + 1))
    sources = [panel["datasource"] for panel in panels] + [
        one["datasource"] for panel in panels for one in panel["targets"]
    ]
    assert {source["uid"] for source in sources} == {"${datasource}"}
    assert {one["name"] for one in DASHBOARD["templating"]["list"]} == {"datasource", "instance"}


def test_the_list_of_instances_reads_a_metric_that_is_printed(known: dict[str, dict[str, set[str]]]) -> None:
    (query,) = [one["query"]["query"] for one in DASHBOARD["templating"]["list"] if one["name"] == "instance"]
    found = re.fullmatch(r"label_values\((\w+), instance\)", query)
    assert found
    assert found[1] in known
