"""Mistakes in what is installed, and in what is said of it.

Data flow: infra/setup/{pins,jars,go_build}.py, infra/materials -> Mutation
Run: python -m tests.mutations supplied
"""

from tests.mutations.mutation import Mutation

PINS = "tests/infra/setup/test_pins.py"
GO = "tests/infra/setup/test_go_lock.py"
AUDIT = "tests/infra/materials/test_audit.py"

SUPPLIED = (
    Mutation(
        "supplied: a jar that nobody listed is installed",
        "infra/setup/pins.py",
        "expected.pop(file.name, None)",
        "expected.pop(file.name, Pin(file.name, '', (), found))",
        f"{PINS}::test_a_jar_that_is_not_listed_is_refused",
    ),
    Mutation(
        "supplied: a jar that was refused stays where programs look",
        "infra/setup/jars.py",
        "        shutil.rmtree(folder)\n        raise",
        "        raise",
        f"{PINS}::test_of_jars_that_are_refused_none_stays",
    ),
    Mutation(
        "supplied: a build in Go adds the modules that it likes",
        "infra/setup/go_build.py",
        '"-mod=readonly"',
        '"-mod=mod"',
        f"{GO}::test_a_build_takes_no_module_that_is_not_listed",
    ),
    Mutation(
        "supplied: a build in Go has the parts that its tags leave out",
        "infra/setup/go_build.py",
        '"-mod=readonly", *program.tagged, *lean',
        '"-mod=readonly", *lean',
        f"{GO}::test_a_build_leaves_out_what_its_tags_say",
    ),
    Mutation(
        "supplied: a program whose tags change is not built anew",
        "infra/setup/go_build.py",
        "self.version, *self.tagged, sums",
        "self.version, sums",
        f"{GO}::test_other_tags_build_the_program_anew",
    ),
    Mutation(
        "supplied: an exception holds for ever",
        "infra/materials/advisory.py",
        "[one for one in known if one.end < today]",
        "[one for one in known if not one.end]",
        f"{AUDIT}::test_only_an_exception_of_today_covers_its_advisory",
    ),
    Mutation(
        "supplied: an exception covers every component",
        "infra/materials/advisory.py",
        "if (one.component, one.id) not in standing]",
        "if one.id not in {id for _, id in standing}]",
        f"{AUDIT}::test_only_an_exception_of_today_covers_its_advisory",
    ),
    Mutation(
        "supplied: what was not asked about is not mentioned",
        "infra/materials/audit.py",
        "if one.not_asked:",
        "if not one.asked:",
        f"{AUDIT}::test_an_open_advisory_and_what_was_not_asked_are_named",
    ),
)
