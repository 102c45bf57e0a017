"""The list of mutations is true of the code as it is: every edit fits, changes something, and has a check that exists."""

import ast
from collections import Counter

import pytest

from infra.settings import ROOT
from tests.mutations.listed import MUTATIONS
from tests.mutations.mutation import Mutation
from tests.mutations.trial import Ran, Verdict

named = pytest.mark.parametrize("one", MUTATIONS, ids=lambda one: one.name)


@named
def test_a_mutation_is_an_edit_of_our_code_that_python_can_read(one: Mutation) -> None:
    assert one.file.split("/")[0] in ("infra", "streaming", "batch", "dags")
    text = (ROOT / one.file).read_text()
    assert ast.dump(ast.parse(one.edited(text))) != ast.dump(ast.parse(text)), "a comment is no logic"


@named
def test_a_check_is_a_test_that_exists_and_needs_no_platform(one: Mutation) -> None:
    file, name = one.caught_by.split("[")[0].split("::")
    tree = ast.parse((ROOT / file).read_text())
    (test,) = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == name]
    assert "[" not in one.caught_by or any("parametrize" in ast.unparse(mark) for mark in test.decorator_list)
    assert not file.startswith("tests/platform/")


def test_no_mistake_is_made_twice() -> None:
    assert max(Counter(one.name for one in MUTATIONS).values()) == 1
    assert max(Counter((one.file, one.new) for one in MUTATIONS).values()) == 1


def test_the_mistakes_are_spread_over_the_code() -> None:
    assert len(MUTATIONS) >= 24
    assert len({one.file for one in MUTATIONS}) >= 24


@pytest.mark.parametrize(
    ("ran", "verdict"),
    [
        (Ran(0, ""), Verdict.SURVIVED),
        (Ran(1, "AssertionError: assert 3 == 4"), Verdict.CAUGHT),
        (Ran(1, 'failed on setup with "infra.failures.PermanentFailure: rows differ without a cause"'), Verdict.CAUGHT),
        (Ran(1, "NameError: name 'watermark' is not defined"), Verdict.BROKEN),
        (Ran(1, ""), Verdict.BROKEN),
        (Ran(2, "collection failure"), Verdict.BROKEN),
        (Ran(4, ""), Verdict.BROKEN),
        (Ran(None, "pytest gave no report"), Verdict.BROKEN),
    ],
)
def test_only_a_check_that_ran_and_failed_has_caught_something(ran: Ran, verdict: Verdict) -> None:
    assert ran.verdict is verdict
