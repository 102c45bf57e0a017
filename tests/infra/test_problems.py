"""Problems are kept until a check has seen them right."""

from pathlib import Path

import pytest

from infra.problems import EXAMPLES, Problem, add, keep, mended, of_source, problems
from infra.settings import Settings

GAP = Problem("log.gap/orders-0", "8 records are gone", "daybreak gaps", count=8)
COPY = Problem("capture.copy/customers", "a copy is wrong", "daybreak shop-db check", rows=("c-1",))


@pytest.fixture
def s(tmp_path: Path) -> Settings:
    return Settings(home=tmp_path)


def test_a_problem_stays_until_its_source_no_longer_tells_it(s: Settings) -> None:
    keep(s, "night/log", [GAP, COPY])
    first = problems(s)
    keep(s, "night/log", [GAP])
    assert [one.id for one in first] == [COPY.id, GAP.id]
    assert [one.id for one in problems(s)] == [GAP.id]
    keep(s, "night/log", [])
    assert problems(s) == []


def test_a_problem_told_again_keeps_its_first_time(s: Settings) -> None:
    keep(s, "stream", [GAP])
    since = problems(s)[0].since
    keep(s, "stream", [GAP])
    assert since is not None
    assert problems(s)[0].since == since


def test_sources_do_not_mend_each_others_problems(s: Settings) -> None:
    keep(s, "stream", [GAP])
    keep(s, "capture", [COPY])
    keep(s, "stream", [])
    assert [one.id for one in problems(s)] == [COPY.id]
    assert of_source(s, "stream") == []


def test_one_is_added_and_one_is_mended_while_others_stand(s: Settings) -> None:
    keep(s, "capture", [COPY])
    add(s, "capture", [GAP])
    assert {one.id for one in problems(s)} == {COPY.id, GAP.id}
    mended(s, "capture", [COPY.id])
    assert [one.id for one in problems(s)] == [GAP.id]


def test_a_problem_names_the_first_rows_and_counts_all(s: Settings) -> None:
    keep(s, "capture", [Problem("a/b", "many", "look", count=100, rows=tuple(map(str, range(100))))])
    (one,) = problems(s)
    assert (len(one.rows), one.count) == (EXAMPLES, 100)


def test_a_file_that_cannot_be_read_is_a_problem_itself(s: Settings) -> None:
    keep(s, "stream", [GAP])
    (s.home / "problems" / "stream.json").write_text('[{"id": 1')
    assert [one.id for one in problems(s)] == ["problems.unreadable/stream"]
