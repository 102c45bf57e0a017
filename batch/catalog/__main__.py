"""Write every generated file, and remove the files of views and topics that no longer exist.

Data flow: VIEWS, CONTRACTS, the tables' declarations, Settings -> dbt sources, staging, facts, YAML; infra/README.md
Run: make catalog

Those of the shop are files of this tree. Any other project's dbt project is put together in its home.
"""

from batch.catalog import composed
from batch.catalog.files import files, stale
from infra.failures import reported
from infra.project_setting import SHOP
from infra.settings import ROOT, settings


def write() -> None:
    """Those of the shop, into the tree."""
    for path, text in files().items():
        file = ROOT / path
        if not file.exists() or file.read_text() != text:
            file.write_text(text)
            print(f"wrote {path}")
    for path in stale():
        (ROOT / path).unlink()
        print(f"removed {path}")


if __name__ == "__main__":
    with reported():
        write() if settings().project == SHOP else composed.write(settings())
