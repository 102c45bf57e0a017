"""Set-up runs before there is any package: by the machine's own Python, with its standard library alone."""

import subprocess
import sys

from infra.settings import ROOT


def test_the_set_up_imports_nothing_but_the_standard_library() -> None:
    # `warm_up` is run by the environment's Python, once that is there.
    modules = {file.stem for file in (ROOT / "infra" / "setup").glob("*.py")} - {"__init__", "warm_up"}
    assert {"compiled", "__main__"} <= modules
    imports = "; ".join(f"import infra.setup.{name}" for name in sorted(modules))
    done = subprocess.run([sys.executable, "-S", "-B", "-c", imports], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
