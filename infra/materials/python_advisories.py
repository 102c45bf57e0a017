"""What the Python index knows against the packages of the lock, by pip-audit.

Data flow: infra/requirements.lock -> pip-audit, which asks for each release -> Answer
Run: make audit
"""

import json
import subprocess
from datetime import UTC, datetime

from infra.installation import STATE
from infra.materials.advisory import Advisory, Answer
from infra.setup.audit_tools import TOOLS
from infra.setup.environment import LOCK

PART = "Python"


def read(text: str, today: str) -> Answer:
    """The answer in pip-audit's JSON. A release that the index does not show is one that was not asked about."""
    packages = json.loads(text)["dependencies"]
    asked = [one for one in packages if "skip_reason" not in one]
    unknown = [f"{one['name']}" for one in packages if "skip_reason" in one]
    found = [
        Advisory(fault["id"], one["name"], f"{one['name']} {one['version']}", ", ".join(fault["fix_versions"]))
        for one in asked
        for fault in one["vulns"]
    ]
    some = ", ".join(unknown[:5]) + (", ..." if len(unknown) > 5 else "")
    left = f"{len(unknown)} packages, whose releases this index does not show: {some}" if unknown else ""
    knows = f"the index, on {today}" if asked else "nothing"
    return Answer(PART, f"{len(asked)} of {len(packages)} packages", knows, found, left)


def answer() -> Answer:
    """Ask about every package of the lock."""
    command = [TOOLS / "bin" / "pip-audit", "-r", LOCK, "--no-deps", "--disable-pip", "-s", "pypi", "-f", "json"]
    command += ["--progress-spinner", "off", "--cache-dir", STATE / "cache" / "pip-audit"]
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    if not done.stdout.startswith("{"):
        last = (done.stderr.strip().splitlines() or ["it said nothing"])[-1]
        return Answer(PART, "nothing", "nothing", (), f"any package: pip-audit ended with: {last}")
    return read(done.stdout, f"{datetime.now(UTC):%Y-%m-%d}")
