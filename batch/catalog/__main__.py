"""Write every generated file, and remove the files of views and topics that no longer exist.

Data flow: VIEWS, CONTRACTS, the tables' declarations, Settings -> dbt sources, staging, facts, YAML; infra/README.md
Run: make catalog
"""

from batch.catalog.files import files, stale
from infra.settings import ROOT

if __name__ == "__main__":
    for path, text in files().items():
        file = ROOT / path
        if not file.exists() or file.read_text() != text:
            file.write_text(text)
            print(f"wrote {path}")
    for path in stale():
        (ROOT / path).unlink()
        print(f"removed {path}")
