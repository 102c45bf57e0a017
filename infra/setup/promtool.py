"""What checks the rules for Prometheus and the metrics that they read: promtool, from its Go modules.

Data flow: Go module proxy -> `.daybreak/bin/promtool`
Run: make metrics
"""

import os

from infra.setup.environment import INSTALLER
from infra.setup.go_build import BIN, Program, install
from infra.setup.step import Step

PROMTOOL = Program(
    "github.com/prometheus/prometheus/cmd/promtool",
    "v0.315.1",
    (1, 26),
    # No rule asks where targets are: it leaves out what asks clouds for them, a third of the modules.
    tags=("remove_all_sd",),
)

STEP = Step(
    name="promtool",
    says="promtool into .daybreak/bin, built from its source (some minutes)",
    stamp=BIN / "promtool-stamp",
    made_from=PROMTOOL.said,
    install=lambda: install(PROMTOOL),
    complete=lambda: os.access(PROMTOOL.binary, os.X_OK),
    after=INSTALLER.name,
)
