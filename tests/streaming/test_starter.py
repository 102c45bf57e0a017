"""`daybreak new` makes a project that runs: its own tests pass, and they see a view that does not keep its law.

Data flow: streaming/starter -> a new folder -> pytest there, with the platform's code on the path
Run: pytest tests/streaming/test_starter.py
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from uuid import UUID

import pytest

from infra.failures import PermanentFailure
from infra.settings import ROOT, load
from streaming.commands.new import made
from streaming.proposal.infer import proposal
from streaming.proposal.render import files


def outcome_of(folder: Path, *more: str) -> "subprocess.CompletedProcess[str]":
    """Its tests, as its team starts them."""
    env = {name: value for name, value in os.environ.items() if not name.startswith(("DAYBREAK_", "PYTEST_"))}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests", *more]
    return subprocess.run(
        command, cwd=folder, env=env | {"PYTHONPATH": str(ROOT)}, capture_output=True, text=True, timeout=900
    )


@pytest.mark.slow
def test_a_new_projects_tests_pass(tmp_path: Path) -> None:
    whole = outcome_of(made(tmp_path / "mine"))
    assert whole.returncode == 0, whole.stdout[-5000:] + whole.stderr[-2000:]


@pytest.mark.soak
def test_a_new_projects_tests_see_a_broken_law(tmp_path: Path) -> None:
    folder = made(tmp_path / "mine")
    views = folder / "views.py"
    # The night's rows are the same; the stream adds up a maximum.
    views.write_text(views.read_text().replace('F.sum("millidegrees")', 'F.max("millidegrees")'))
    broken = outcome_of(folder, "-k", "stream_says")
    assert broken.returncode == 1, broken.stdout[-5000:] + broken.stderr[-2000:]
    assert "test_the_stream_says_what_the_night_says" in broken.stdout


@pytest.mark.soak
def test_a_project_made_from_records_passes_its_tests(tmp_path: Path) -> None:
    records = []
    for number in range(60):
        head = {
            "event_id": str(UUID(int=number)),
            "event_type": "order placed",
            "event_time": 1_769_839_200_000 + number,
        }
        own = {
            "order": f"o-{number % 20}",
            "items": [{"sku": "a", "count": 2}],
            "cents": number,
            "note": "é",
            "rush": True,
        }
        records.append((own["order"].encode(), json.dumps(head | {"schema_version": 1} | own).encode()))
    whole = outcome_of(made(tmp_path / "mine", files(proposal("the.orders", records), "order", "")))
    assert whole.returncode == 0, whole.stdout[-5000:] + whole.stderr[-2000:]


def test_it_has_a_home_and_ports_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = []
    for name in ("mine", "theirs"):
        monkeypatch.delenv("DAYBREAK_PROJECT", raising=False)
        monkeypatch.chdir(made(tmp_path / name))
        found.append(load())
    one, other = found
    assert [s.project for s in found] == [str(tmp_path / "mine"), str(tmp_path / "theirs")]
    assert [s.home for s in found] == [tmp_path / "mine" / ".daybreak", tmp_path / "theirs" / ".daybreak"]
    assert abs(one.port_base - other.port_base) >= 100
    assert one.port_base >= 22_000


@pytest.mark.parametrize(
    ("name", "why"), [("mine-too", "no name for one"), ("there", "exists"), ("json", "another package")]
)
def test_a_name_that_is_no_packages_leaves_nothing(tmp_path: Path, name: str, why: str) -> None:
    (tmp_path / "there").mkdir()
    with pytest.raises(PermanentFailure, match=why):
        made(tmp_path / name)
    assert [one.name for one in tmp_path.iterdir()] == ["there"]
