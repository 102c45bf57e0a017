"""The command `daybreak` of an installed wheel: set-up, before there is any package; then everything else.

Data flow: arguments -> infra.setup, or the command line
Run: daybreak setup
"""

import sys


def main() -> None:
    """Run it. If the packages are missing, one sentence says what brings them."""
    if sys.argv[1:2] == ["setup"] and "--help" not in sys.argv:
        from infra.setup.__main__ import main as set_up

        set_up(sys.argv[2:])
        return
    try:
        from batch.commands import main as run
    except ModuleNotFoundError as missing:
        sys.exit(f"daybreak: the package {missing.name} is not installed: run `daybreak setup`")
    run()
