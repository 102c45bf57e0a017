"""Install what a clean clone lacks: Python packages, jars, the object store's server.

Data flow: locks in the repository -> each file checked by its hash -> `.venv/`, `.daybreak/{jars,bin}`; nothing elsewhere
Run: make setup, or where the wheel is installed: daybreak setup
"""

import sys

FIRST, BEYOND = (3, 11), (3, 14)


def main(wanted: "list[str]") -> None:
    """Run the wanted steps (the usual ones by default) or exit with one sentence. Old Pythons can parse this file."""
    if not FIRST <= sys.version_info[:2] < BEYOND:
        sys.exit(
            "daybreak: Python 3.11, 3.12 or 3.13 is needed and `{}` is {}.{}; name another one: "
            "make setup PYTHON=python3.12".format(sys.executable, *sys.version_info[:2])
        )
    from infra.setup import (
        audit_tools,
        classes,
        compiled,
        connect,
        environment,
        helm,
        jars,
        postgres,
        prerequisites,
        promtool,
        queue,
        store,
    )
    from infra.setup.step import SetupFailure, run

    try:
        prerequisites.check(with_java=wanted != ["python"])
        usual = (environment.STEP, jars.STEP, compiled.STEP, store.STEP, classes.STEP)
        more = (
            connect.STEP,
            queue.STEP,
            postgres.STEP,
            store.MINIO_STEP,
            helm.STEP,
            promtool.STEP,
            audit_tools.STEP,
            audit_tools.GO_STEP,
        )
        known = (*usual, *more)
        if unknown := [name for name in wanted if name not in {step.name for step in known}]:
            sys.exit(f"daybreak: set-up has no step {unknown[0]!r}: {', '.join(step.name for step in known)}")
        run([environment.INSTALLER, *([step for step in known if step.name in wanted] if wanted else usual)])
    except SetupFailure as failure:
        sys.exit(f"daybreak: {failure}")


if __name__ == "__main__":
    main(sys.argv[1:])
