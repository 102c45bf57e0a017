"""What fits, on the labs' page: each figure leads to its lab's section, and every row has a cell for each choice."""

import re
from pathlib import Path

from lab_results import keep_all

from infra.lab.fit.need import Choice, Need
from infra.lab.fit.section import section
from infra.lab.fit.table import fit
from infra.lab.page import publish
from infra.registry import DEFAULT


def test_each_figure_leads_to_the_section_of_its_lab(tmp_path: Path) -> None:
    keep_all(tmp_path)
    text = publish(tmp_path, DEFAULT).read_text()
    sections = re.findall(r'<section id="([\w-]+)"', text)
    assert sections[0] == "fit"
    assert set(re.findall(r'href="#([\w-]+)"', text)) <= set(sections)
    assert '(<a href="#delivery">delivery</a>, <time>2026-01-31 12:34</time>)' in text


def test_a_cell_without_figures_says_what_measures_them() -> None:
    text = section(fit({}))
    assert text.count("<tr><td") == len(Need)
    assert text.count("<td data-column=") == len(Need) * (1 + len(Choice))
    assert '<p class="unmeasured">not measured yet: daybreak lab delivery <span>(<a href="#delivery">' in text
    assert "<time>" not in text
