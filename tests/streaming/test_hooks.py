"""Whatever a team writes wrong in its hooks is one sentence: which hook of which project, what it should be and what it is."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from own_hooks import OWN, Made, projects

from infra.failures import PermanentFailure, TransientFailure
from infra.settings import Settings
from streaming.hooks import Hooks, backlogs, for_gold, hooks, writers

ASKED: dict[str, Callable[[Settings], object]] = {"writers": writers, "lag": backlogs, "variables": for_gold}
"""By the function in GREET: who asks it."""


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Made]:
    with projects(tmp_path, monkeypatch) as write:
        yield write


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ("commands=['mine.greet']", r"`commands` should be a valid dictionary, and is \['\w+\.greet'\] \(list\)"),
        ("commands={'greet': None}", r"`commands\['greet'\]` should be a valid string, and is None"),
        ("commands={3: 'mine.greet'}", r"the key 3 of `commands` should be a valid string, and is 3 \(int\)"),
        (
            "commands={'greet': 'mine.greet:greet'}",
            r"`commands\['greet'\]` should match pattern .*, and is '\w+\.greet:greet'",
        ),
        ("labs='mine.labs'", r"`labs` should be a valid tuple, and is '\w+\.labs' \(str\)"),
        ("labs=('mine.labs', 4)", r"`labs\[1\]` should be a valid string, and is 4 \(int\)"),
        ("looks=('mine.greet:looked',)", r"`looks` should be a valid dictionary, and is .* \(tuple\)"),
        (
            "looks={'attic': 'mine.greet'}",
            r"`looks\['attic'\]` should match pattern .*:.*, and is '\w+\.greet' \(str\)",
        ),
        ("for_gold=5", r"`for_gold` should be a valid string, and is 5 \(int\)"),
        ("writers=print", r"`writers` should be a valid string, and is <built-in function print>"),
        ("lag=''", r"`lag` should match pattern .*, and is '' \(str\)"),
        ("command={}", r"unexpected keyword argument 'command'"),
    ],
)
def test_a_hook_of_another_type_is_told_with_file_and_line(made: Made, said: str, why: str) -> None:
    own = made(hooks=f"from streaming.hooks import Hooks\n\nHOOKS = Hooks({said})\n")
    with pytest.raises(PermanentFailure, match=why) as told:
        hooks()
    assert str(told.value).startswith(f"the project {own.module} does not load ({own.folder}/hooks.py, line 3): ")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("HOOK = 1", r"hooks has no HOOKS: it is one streaming\.hooks\.Hooks"),
        (
            "HOOKS = {'lag': 'mine.greet:lag'}",
            r"hooks: HOOKS should be one streaming\.hooks\.Hooks, and is of type dict",
        ),
        ("from streaming.hooks import Hooks as HOOKS", r"hooks: HOOKS should be one .*, and is of type type"),
        ("HOOKS = 1 / 0", r"does not load \(.*/hooks\.py, line 1\): ZeroDivisionError"),
        ("raise SystemExit('no')", r"does not load \(.*/hooks\.py, line 1\): SystemExit: no"),
    ],
)
def test_a_module_without_right_hooks_is_one_sentence(made: Made, text: str, why: str) -> None:
    made(hooks=text)
    with pytest.raises(PermanentFailure, match=why):
        hooks()


IMPORTS = "from streaming.hooks import Backlog, Writer\n"


@pytest.mark.parametrize(
    ("function", "text", "why"),
    [
        ("lag", "lag = 5", r"which should be a function of Settings, and is of type int"),
        ("lag", "def lag(): return []", r"which failed .*TypeError: .*takes 0 positional arguments but 1 was given"),
        (
            "lag",
            "def lag(s): return None",
            r"`returned` should be an instance of Sequence, and is of type NoneType",
        ),
        (
            "lag",
            "def lag(s): return [3]",
            r"`returned\[0\]` should be an instance of Backlog, and is of type int",
        ),
        (
            "lag",
            "def lag(s): return [Backlog('x', ())]",
            r"line 2\): ValueError: Backlog: `as_json` should be a valid dict",
        ),
        (
            "lag",
            "def lag(s): return [Backlog({}, 'x')]",
            r"line 2\): ValueError: Backlog: `lines` should be a valid tuple",
        ),
        ("lag", "def lag(s): return [Backlog({'a': s}, ())]", r"`as_json\['a'\]`: input was not a valid JSON value"),
        ("lag", "def lag(s):\n  yield 1 / 0", r"which failed \(.*/greet\.py, line 3\): ZeroDivisionError"),
        (
            "writers",
            "def writers(s): return ['rooms']",
            r"`returned` should be a valid dictionary, and is of type list",
        ),
        (
            "writers",
            "def writers(s): return {'rooms': 'we'}",
            r"`returned\['rooms'\]` should be an instance of Writer",
        ),
        (
            "writers",
            "def writers(s): return {'a b': Writer('we')}",
            r"the key 'a b' of `returned` should match",
        ),
        (
            "writers",
            "def writers(s): return {'rooms': Writer(5)}",
            r"line 2\): ValueError: Writer: `why` should be a valid str",
        ),
        (
            "writers",
            "def writers(s): return {'r': Writer('we', ('me',))}",
            r"`beside\[0\]` should be an instance of User",
        ),
        (
            "variables",
            "def variables(s): return {'MINE': 5}",
            r"`returned\['MINE'\]` should be a valid string, and is of",
        ),
        ("variables", "def variables(s): return s.no_such", r"which failed \(.*/greet\.py, line 2\): AttributeError"),
    ],
)
def test_what_a_function_does_wrong_is_told_with_its_hook(made: Made, function: str, text: str, why: str) -> None:
    own = made(hooks=OWN, greet=IMPORTS + text)
    hook = "for_gold" if function == "variables" else function
    with pytest.raises(PermanentFailure, match=why) as told:
        ASKED[function](Settings())
    assert str(told.value).startswith(f"{own.module}.hooks: `{hook}` names {own.module}.greet:{function}")


def test_what_a_function_raises_stays_the_cause(made: Made) -> None:
    made(hooks=OWN, greet="def lag(s): raise KeyError('attic')")
    with pytest.raises(PermanentFailure) as told:
        backlogs(Settings())
    assert isinstance(told.value.__cause__, KeyError)


@pytest.mark.parametrize(
    ("raised", "kind"),
    [
        ("ConnectionRefusedError(111, 'refused')", TransientFailure),
        ("OSError(28, 'No space left on device')", TransientFailure),
        ("type('OfClient', (Exception,), {})('no broker')", TransientFailure),
        ("ValueError('no number')", PermanentFailure),
        ("KeyError('attic')", PermanentFailure),
    ],
)
def test_only_a_mistake_of_code_is_not_tried_again(made: Made, raised: str, kind: type[Exception]) -> None:
    made(hooks=OWN, greet=f"def variables(s): raise {raised}")
    with pytest.raises(kind, match=r"`for_gold` names .*, which failed \("):
        for_gold(Settings())


def test_a_secret_of_a_wrong_type_is_not_shown(made: Made) -> None:
    made(hooks=OWN, greet="def variables(s): return {'MINE_PASSWORD': b'pale-moon'}")
    with pytest.raises(PermanentFailure, match="and is of type bytes") as told:
        for_gold(Settings())
    assert "pale" not in str(told.value)


def test_right_hooks_are_taken_as_they_are() -> None:
    own = Hooks(
        commands={"greet": "mine.greet"},
        labs=("mine.labs",),
        looks={"attic": "mine.greet:looked"},
        lag="mine.greet:lag",
    )
    assert (own.commands, own.labs, own.writers) == ({"greet": "mine.greet"}, ("mine.labs",), None)
