"""Run once more what failed, so that a test that passes only then is seen as what it is: `FLAKY` in the second run's summary.

Data flow: pytest's list of failed tests -> their files (their folder, where the files share a platform) -> pytest
Run: .ci/run
"""

import json
import os
import subprocess
import sys
from pathlib import Path

FAILED = Path(".daybreak/cache/pytest/v/cache/lastfailed")
MOST = 6
"""Files with failed tests: more are no accident, and take too long to be run again. One fixture may fail all of a file."""
STARTS = Path("tests/platform/test_00_deployed.py")
"""Whatever stands beside it needs no more than a platform that was started by it."""


def scope(test: str) -> str:
    """What has to run for a test: the files of a platform's folder build on each other, any other file stands alone."""
    file = Path(test.partition("::")[0])
    if file.parent == STARTS.parent:
        return " ".join(sorted({str(STARTS), str(file)}))
    if file.is_relative_to("tests/platform"):
        return " ".join(str(one) for one in sorted(file.parent.glob("test_*.py")))
    return str(file)


def main() -> int:
    """pytest's exit code of the second run; 1 without one."""
    failed = sorted(json.loads(FAILED.read_text())) if FAILED.exists() else []
    own = {test.partition("::")[0] for test in failed}
    if not 0 < len(own) <= MOST:
        print(f"{len(failed)} tests of {len(own)} files failed: they are not run again", flush=True)
        return 1
    print(f"{len(failed)} failed and are run once more:", *failed, sep="\n  ", flush=True)
    files = sorted({file for test in failed for file in scope(test).split()})
    env = {**os.environ, "FAILED_BEFORE": "\n".join(failed)}
    return subprocess.run([sys.executable, "-m", "pytest", "-n", "3", *files], env=env, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
