"""Say which advisories are known against what the platform stands on; end with 1 if one has no exception.

Data flow: installed jars, Python's and Go's Answer, exceptions.toml -> lines, and an exit code
Run: make audit
"""

import sys
from collections.abc import Sequence
from datetime import UTC, date, datetime

from infra.materials import go_advisories, python_advisories
from infra.materials.advisory import Answer, Exemption, exemptions, idle, open_ones, past
from infra.setup import jars, pins
from infra.setup.step import SetupFailure

JARS = Answer(
    "jars",
    "nothing",
    "nothing",
    (),
    "any jar: Maven's repository has no advisories; give .daybreak/sbom/jars.json (make sbom) to a scanner of yours",
)
"""No source of advisories for jars can be asked by the client of a package registry."""


def changed_jars() -> list[str]:
    """One sentence for each configuration whose installed jars are not the listed ones."""
    found = []
    for configuration in pins.configurations():
        there = jars.fetched(configuration)
        try:
            if there and configuration != "queue":
                pins.check(configuration, there)
        except SetupFailure as failure:
            found.append(str(failure))
    return found


def lines(answers: Sequence[Answer], known: Sequence[Exemption], today: date) -> list[str]:
    """What was asked, what is known, and what is lived with; in this order."""
    said = []
    for one in answers:
        said.append(f"{one.part}: asked about {one.asked}; known to {one.knows}; {len(one.found)} advisories")
        if one.not_asked:
            said.append(f"  NOT ASKED about {one.not_asked}")
        for fault in open_ones(one.found, known, today):
            mended = f"mended in {fault.fixed}" if fault.fixed else "not mended"
            said.append(f"  OPEN {fault.id} in {fault.component}, through {fault.through}; {mended}")
    for kept in known:
        word = "ENDED" if kept in past(known, today) else "exception"
        said.append(f"{word} of {kept.component}, until {kept.end}: {len(kept.ids)} advisories; {kept.reason}")
    said += [f"no longer needed: the exception of {one}" for one in idle(answers, known)]
    return said


def is_bad(answers: Sequence[Answer], known: Sequence[Exemption], today: date) -> bool:
    """Is an advisory without exception, or an exception past its end?"""
    return bool(past(known, today)) or any(open_ones(one.found, known, today) for one in answers)


def main() -> int:
    """Ask, say, and return the exit code."""
    known, today = exemptions(), datetime.now(UTC).date()
    changed = changed_jars()
    answers = (python_advisories.answer(), JARS, go_advisories.answer())
    print("\n".join([*changed, *lines(answers, known, today)]))
    return 1 if changed or is_bad(answers, known, today) else 0


if __name__ == "__main__":
    sys.exit(main())
