"""The licences of a bill of materials, as rows.

Data flow: CycloneDX JSON -> component, version, licence
Run: make sbom
"""

import json

UNKNOWN = "unknown"


def licences(text: str) -> list[tuple[str, str, str]]:
    """Component, version and licence of each component of a bill; a licence that it does not have is `unknown`."""
    rows = []
    for one in json.loads(text).get("components", []):
        said = [
            each.get("expression") or each["license"].get("id") or each["license"].get("name", "")
            for each in one.get("licenses", [])
        ]
        name = ":".join(part for part in (one.get("group"), one["name"]) if part)
        rows.append((name, one.get("version", ""), "; ".join(sorted(set(said))) or UNKNOWN))
    return sorted(rows)
