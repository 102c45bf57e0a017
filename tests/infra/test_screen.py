"""What the commands print into a pipe: whole figures, whatever width the machine takes a pipe for."""

import io
import re
from datetime import date

import pytest
from rich.table import Table
from typer.testing import CliRunner

from batch.commands import reconciliation
from batch.report.summary import Finding
from infra.commands.screen import Screen
from infra.settings import ROOT

DAY = date(2026, 1, 31)
CAUSES = {"late": 1_234_567_890, "partner_late": -987_654_321, "not_read": 111_222_333, "duplicate": -444_555_666}
FINDING = Finding(DAY, "order_payments", "outstanding_cents", 9_876_543_210, CAUSES, 9_790_123_456, 0, 77)


def test_a_piped_table_of_findings_has_every_figure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reconciliation, "findings", lambda *_: [FINDING])
    monkeypatch.setattr(reconciliation, "redefined", lambda *_: [])
    monkeypatch.setattr(reconciliation, "missed", lambda _: [])
    done = CliRunner().invoke(reconciliation.commands, ["--from", str(DAY), "--to", str(DAY)], env={"COLUMNS": ""})
    assert done.exit_code == 0, done.output
    (row,) = (line for line in done.output.splitlines() if str(DAY) in line)
    assert re.split(r"\s{2,}", row.strip()) == [
        str(DAY),
        "order_payments",
        "outstanding_cents",
        "9,876,543,210",
        "9,790,123,456",
        "-86,419,754",
        FINDING.why,
        "0",
    ]


def test_a_width_that_is_asked_for_counts() -> None:
    page = io.StringIO()
    Screen(file=page, width=30).print(Table("a figure of ours", "b" * 60))
    assert max(map(len, page.getvalue().splitlines())) == 30


def test_every_command_prints_by_the_same_screen() -> None:
    own = [file.name for file in ROOT.glob("*/**/commands/*.py") if re.search(r"\bConsole\((?!\))", file.read_text())]
    assert own == ["demo.py"], "it records its report"
