"""Prometheus's own tool takes the rules, runs their tests, and finds nothing to say of what `daybreak metrics` prints."""

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from metrics_sample import PARTS

from batch.status.metrics import read_parts
from infra import metrics
from infra.settings import Settings
from infra.setup.promtool import PROMTOOL, STEP

pytestmark = [
    pytest.mark.soak,
    pytest.mark.skipif(not STEP.complete(), reason="promtool is not built: make metrics"),
]

RULES = Path(metrics.__file__).parent / "daybreak.rules.yml"
TESTS = sorted((Path(__file__).parent / "rules").glob("*.yml"))
FAULT, LINT = 1, 3
"""promtool's exit codes: it cannot be read, or a test failed; it can, and breaks a convention."""
GROUPS: list[dict[str, Any]] = yaml.safe_load(RULES.read_text())["groups"]
ALERTS = {rule["alert"]: rule for group in GROUPS for rule in group["rules"] if "alert" in rule}
RECORDED = {rule["record"]: rule for group in GROUPS for rule in group["rules"] if "record" in rule}


def promtool(*arguments: object, given: str = "") -> subprocess.CompletedProcess[str]:
    command = [str(PROMTOOL.binary), *map(str, arguments)]
    return subprocess.run(command, input=given, capture_output=True, text=True, timeout=60)


def checked(rules: Path) -> subprocess.CompletedProcess[str]:
    return promtool("check", "rules", "--lint=all", "--lint-fatal", rules)


def tried(folder: Path, name: str, **other: str) -> subprocess.CompletedProcess[str]:
    """The tests that name a rule, run on the rules with other values of it."""
    groups = yaml.safe_load(RULES.read_text())["groups"]
    for rule in (rule for group in groups for rule in group["rules"]):
        if name in (rule.get("alert"), rule.get("record")):
            rule |= other
    (folder / RULES.name).write_text(yaml.safe_dump({"groups": groups}))
    own = {test.name: text for test in TESTS if name in (text := test.read_text())}
    for file, text in own.items():
        (folder / file).write_text(re.sub("^rule_files: .*", f"rule_files: [{RULES.name}]", text, flags=re.MULTILINE))
    return promtool("test", "rules", *(folder / file for file in own))


def mistakes(rule: dict[str, Any]) -> Iterator[dict[str, str]]:
    """Other values of an alert, each of which makes it wrong by as little as can be."""
    yield {"expr": "vector(0) > 1"}
    yield {"expr": "vector(1)"}
    for sharp, blunt in ((" > ", " >= "), (" < ", " <= ")):
        if sharp in rule["expr"]:
            yield {"expr": rule["expr"].replace(sharp, blunt)}
    if "for" in rule:
        minutes = int(rule["for"].removesuffix("m"))
        yield {"for": f"{minutes - 1}m"}
        yield {"for": f"{minutes + 1}m"}


@pytest.fixture
def told(tmp_path: Path) -> str:
    """What `daybreak metrics` prints of a platform with a sample of everything."""
    return read_parts(Settings(home=tmp_path), PARTS)


def test_the_rules_are_taken() -> None:
    said = checked(RULES)
    assert said.returncode == 0, said.stdout + said.stderr
    assert f"SUCCESS: {len(ALERTS) + len(RECORDED)} rules found" in said.stdout


def test_a_rule_that_stands_twice_is_refused(tmp_path: Path) -> None:
    twice = tmp_path / "twice.yml"
    twice.write_text(yaml.safe_dump({"groups": [*GROUPS, GROUPS[0] | {"name": "again"}]}))
    assert checked(twice).returncode == LINT


def test_a_template_that_cannot_be_filled_is_refused(tmp_path: Path) -> None:
    broken = tmp_path / "broken.yml"
    broken.write_text(RULES.read_text().replace("humanizeDuration", "humaniseDuration"))
    assert checked(broken).returncode == FAULT


def test_each_alert_fires_when_it_should_and_only_then() -> None:
    said = promtool("test", "rules", *TESTS)
    assert said.returncode == 0, said.stdout + said.stderr
    assert said.stdout.count("SUCCESS") == len(TESTS)


@pytest.mark.parametrize("name", ALERTS)
def test_an_alert_that_is_a_little_wrong_is_noticed(name: str, tmp_path: Path) -> None:
    for other in mistakes(ALERTS[name]):
        said = tried(tmp_path, name, **other)
        assert said.returncode == FAULT, other
        assert f"alertname: {name}," in said.stderr, other


@pytest.mark.parametrize("name", RECORDED)
def test_a_rate_or_share_that_is_wrong_is_noticed(name: str, tmp_path: Path) -> None:
    said = tried(tmp_path, name, expr=f"2 * ({RECORDED[name]['expr']})")
    assert said.returncode == FAULT
    assert f'expr: "{name}"' in said.stderr


def test_what_is_printed_breaks_no_convention(told: str) -> None:
    said = promtool("check", "metrics", given=told)
    assert (said.returncode, said.stderr) == (0, "")


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("daybreak_night_hours 3", "no help text"),
        ("# HELP daybreak_night_hours How long\ndaybreak_night_hours 3", 'use base unit "seconds" instead of "hours"'),
        ("# HELP daybreak_read The first\n# TYPE daybreak_read counter\ndaybreak_read 3", '"_total" suffix'),
    ],
)
def test_what_breaks_one_is_named(line: str, fault: str, told: str) -> None:
    said = promtool("check", "metrics", given=f"{told}{line}\n")
    assert said.returncode == LINT
    assert fault in said.stderr
