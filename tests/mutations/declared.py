"""Mistakes in what is refused of what a project declares.

Data flow: infra/field_types.py, streaming/hooks.py, streaming/contracts/faults.py, streaming/views -> Mutation
Run: python -m tests.mutations hook: declared:
"""

from tests.mutations.mutation import Mutation

TYPES, HOOKS, ON_TOP = "tests/infra/test_field_types.py", "tests/streaming/test_hooks.py", "tests/batch/test_hooks.py"
OWN, NONSENSE = "tests/streaming/test_own_project.py", "tests/streaming/test_declared.py"
CONTRACTS = f"{NONSENSE}::test_a_contract_of_nonsense_is_refused_with_file_and_line"
VIEWS = f"{NONSENSE}::test_a_view_of_nonsense_is_refused_with_file_and_line"
ANSWERS = f"{HOOKS}::test_what_a_function_does_wrong_is_told_with_its_hook"

DECLARED = (
    Mutation(
        "declared: a value is converted to the type that it should have",
        "infra/field_types.py",
        "ConfigDict(strict=True,",
        "ConfigDict(strict=False,",
        f"{TYPES}::test_a_field_of_another_type_is_named",
    ),
    Mutation(
        "declared: a value that may be a secret is shown",
        "infra/field_types.py",
        "of type {type(told[1]).__name__}",
        "of type {told[1]!r}",
        f"{HOOKS}::test_a_secret_of_a_wrong_type_is_not_shown",
    ),
    Mutation(
        "declared: of a union the first type is told alone",
        "infra/field_types.py",
        "for one in errors if",
        "for one in errors[:1] if",
        f"{TYPES}::test_a_field_of_another_type_is_named",
    ),
    Mutation(
        "declared: a contract has fields of any type",
        "streaming/contracts/contract.py",
        'check_fields(self, f"contract {self.topic}")',
        "pass",
        CONTRACTS,
    ),
    Mutation(
        "declared: the key is a field that there is not",
        "streaming/contracts/faults.py",
        "if contract.key not in fields:",
        "if contract.key in ():",
        CONTRACTS,
    ),
    Mutation(
        "declared: captured changes have no encoding of theirs",
        "streaming/contracts/faults.py",
        '(contract.encoding == "debezium") != (captured is not None)',
        '(contract.encoding != "debezium") and (captured is not None)',
        CONTRACTS,
    ),
    Mutation(
        "declared: a view has fields of any type",
        "streaming/views/view.py",
        'check_fields(self, f"view {self.name}")',
        "pass",
        VIEWS,
    ),
    Mutation(
        "declared: the part of a view is a column that there is not",
        "streaming/views/faults.py",
        "spoken |= {view.law.column}",
        "spoken |= {*view.key}",
        VIEWS,
    ),
    Mutation(
        "declared: a view looks for a part that no event has",
        "streaming/project.py",
        "if lacking := _lacking(one, topics):",
        "if lacking := None:",
        f"{NONSENSE}::test_a_view_that_looks_for_what_no_event_has_is_refused",
    ),
    Mutation(
        "hook: a hook is of any type",
        "streaming/hooks.py",
        'check_fields(self, "Hooks")',
        "pass",
        f"{HOOKS}::test_a_hook_of_another_type_is_told_with_file_and_line",
    ),
    Mutation(
        "hook: a function returns anything",
        "streaming/hooks.py",
        'if differs := differing(kind, found, "returned"):',
        "if differs := None:",
        ANSWERS,
    ),
    Mutation(
        "hook: what a generator raises comes later, without its hook",
        "streaming/hooks.py",
        "if isinstance(found, Iterator):",
        "if isinstance(found, str):",
        ANSWERS,
    ),
    Mutation(
        "hook: a service that does not answer is never asked again",
        "streaming/hooks.py",
        "if isinstance(wrong, MISTAKES) else TransientFailure",
        "if isinstance(wrong, Exception) else TransientFailure",
        f"{HOOKS}::test_only_a_mistake_of_code_is_not_tried_again",
    ),
    Mutation(
        "hook: webhooks answer with a fault, and not at their start with a sentence",
        "streaming/webhooks/__main__.py",
        "    writable(s)\n",
        "    _ = writable\n",
        "tests/streaming/webhooks/test_program.py::test_hooks_that_are_wrong_end_it_before_it_answers",
    ),
    Mutation(
        "declared: gold's program tells a broken project by a traceback",
        "batch/gold.py",
        "from streaming.hooks import for_gold\n",
        "from streaming.hooks import for_gold\nfrom streaming.monitor import freshness  # noqa: F401\n",
        f"{OWN}::test_each_program_ends_in_a_sentence_where_there_is_no_project[batch.gold build]",
    ),
    Mutation(
        "hook: a module that ends the program at its import does so",
        "streaming/project_code.py",
        "EVERY = (Exception, SystemExit)",
        "EVERY = (Exception,)",
        f"{HOOKS}::test_a_module_without_right_hooks_is_one_sentence",
    ),
    Mutation(
        "hook: a command that is not listed hides behind one of the platform's",
        "batch/commands/__init__.py",
        "if sorted(has := names(found)) != sorted(listed):",
        "if not {*listed} <= {*(has := names(found))}:",
        f"{ON_TOP}::test_wrong_commands_are_one_sentence",
    ),
    Mutation(
        "hook: a lab hides one of the same name",
        "batch/commands/lab.py",
        "if name in there:",
        "if not there:",
        f"{ON_TOP}::test_a_lab_of_a_name_that_there_is_is_refused",
    ),
    Mutation(
        "hook: a look hides one of the platform's",
        "batch/status/look.py",
        "if twice := sorted(LOOKS.keys() & hooks().looks.keys()):",
        "if twice := sorted(LOOKS.keys() - LOOKS.keys()):",
        f"{ON_TOP}::test_a_look_of_the_platforms_name_is_refused",
    ),
)
