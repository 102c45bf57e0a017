"""The labs' page: the newest results, or the command that gives one."""

import json
import re
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from infra.lab.labs import DELIVERY, DIRECT, GROUPS, LABS
from infra.lab.page import page, publish
from infra.lab.result import Curves, Result, file, keep, newest
from infra.registry import DEFAULT

RESULT = Result(
    "delivery",
    datetime(2026, 1, 31, 12, tzinfo=UTC),
    [{"consumer": "<b>", "lost": 1234, "took": "1,234.5 ms"}],
    "It lost <some>.",
    "So.",
    [],
)


CHARTED = Result(
    "direct",
    RESULT.at,
    [{"situation": "all are <well>", "transport": "a", "due": 10, "lost": 5, "doubled": 0}],
    "",
    "",
    [],
)


def test_a_result_comes_back_as_it_was_kept(tmp_path: Path) -> None:
    assert newest(tmp_path, DELIVERY) is None
    keep(tmp_path, DELIVERY, RESULT)
    assert newest(tmp_path, DELIVERY) == RESULT


def test_a_result_may_have_curves_and_an_older_file_has_none(tmp_path: Path) -> None:
    charted = replace(RESULT, curves=[Curves("one", [0.0, 0.5], {"lost": [0, 7]})])
    keep(tmp_path, DELIVERY, charted)
    assert newest(tmp_path, DELIVERY) == charted
    kept = json.loads(file(tmp_path, DELIVERY).read_text())
    del kept["curves"]
    file(tmp_path, DELIVERY).write_text(json.dumps(kept))
    assert newest(tmp_path, DELIVERY) == RESULT


def test_a_lab_without_a_result_has_its_command_on_the_page(tmp_path: Path) -> None:
    keep(tmp_path, DELIVERY, RESULT)
    text = publish(tmp_path, DEFAULT).read_text()
    _, delivery, groups, *others = re.findall(r"<section .*?</section>", text, re.DOTALL)
    assert "It lost &lt;some&gt;." in delivery
    assert '<td data-column="consumer">&lt;b&gt;</td><td class="number" data-column="lost">1,234</td>' in delivery
    assert '<td class="number" data-column="took">1,234.5 ms</td>' in delivery
    assert "2026-01-31 at 12:00 UTC" in delivery
    assert "This lab has not been run yet." in groups
    assert "<code>daybreak lab groups</code>" in groups
    for lab, other in zip(LABS[2:], others, strict=True):
        assert f"<code>{lab.command}</code>" in other


def test_a_lab_with_a_chart_has_its_table_behind_it() -> None:
    text = page({DIRECT: CHARTED, DELIVERY: RESULT})
    assert text.index("<figure><figcaption>all are &lt;well&gt;</figcaption>") < text.index("<details>")
    assert text.count("<details>") == 1
    assert '<td class="number" data-column="lost">5</td>' in text


def test_a_broken_promise_stands_out() -> None:
    broken = Result("groups", RESULT.at, RESULT.rows, "", "", ["group A lost 3 records"])
    assert '<p class="bad">group A lost 3 records</p>' in page({GROUPS: broken})


def test_the_page_loads_nothing() -> None:
    text = page(dict.fromkeys(LABS, RESULT) | {DIRECT: CHARTED})
    assert not re.search(r"src=|href=(?!\"#)|@import|url\(|<script|<link", text)
