"""Bills of materials as CycloneDX JSON, valid by its schema, and a table of all licences.

Data flow: `.venv` by cyclonedx-py, infra/jars.lock, infra/setup/go -> `.daybreak/sbom/{python,jars,go}.json`, `licences.txt`
Run: make sbom
"""

import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.output.json import JsonV1Dot6
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

from infra.installation import ROOT, STATE, VENV
from infra.materials import pinned
from infra.materials.licences import UNKNOWN, licences
from infra.setup.audit_tools import TOOLS

OUTPUT = STATE / "sbom"


def bill(components: Iterable[Component]) -> str:
    """A bill of the platform with these components, as JSON."""
    bom = Bom(components=components)
    bom.metadata.component = root = Component(type=ComponentType.APPLICATION, name="daybreak", bom_ref="daybreak")
    bom.register_dependency(root, bom.components)
    return str(JsonV1Dot6(bom).output_as_string(indent=2))


def of_python() -> str:
    """The bill of `.venv` by CycloneDX' own tool for Python."""
    tool = [TOOLS / "bin" / "cyclonedx-py", "environment", "--pyproject", ROOT / "pyproject.toml", "--sv", "1.6"]
    command = [*map(str, tool), "--of", "JSON", str(VENV / "bin" / "python")]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def fault(text: str) -> str:
    """What the schema of CycloneDX has against a bill; empty if nothing."""
    found = JsonStrictValidator(SchemaVersion.V1_6).validate_str(text)
    return str(found) if found else ""


def main(folder: Path) -> None:
    """Write the bills and the table. Ends with one sentence if a bill is not valid."""
    folder.mkdir(parents=True, exist_ok=True)
    bills = {
        "python": of_python(),
        "jars": bill(pinned.jars()),
        "go": bill(pinned.modules(pinned.go_folders())),
    }
    table, unknown = [], []
    for name, text in bills.items():
        wrong = fault(text)
        if wrong:
            sys.exit(f"daybreak: the bill of {name} is not valid by CycloneDX' schema: {wrong}")
        (folder / f"{name}.json").write_text(text)
        rows = licences(text)
        table += [f"{name}\t{component}\t{version}\t{licence}" for component, version, licence in rows]
        missing = [component for component, _, licence in rows if licence == UNKNOWN]
        unknown += missing
        print(f"{name}: {len(rows)} components, of {len(missing)} the licence is unknown")
    (folder / "licences.txt").write_text("\n".join(table) + "\n")
    print(f"licence unknown: {', '.join(unknown) or 'none'}")
    print(f"written to {folder.relative_to(ROOT)}: python.json, jars.json, go.json, licences.txt")


if __name__ == "__main__":
    main(OUTPUT)
