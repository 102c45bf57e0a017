"""Write every generated file, and remove the files of views and topics that no longer exist.

Data flow: VIEWS, CONTRACTS, the tables' declarations, Settings -> dbt sources, staging, facts, YAML; infra/README.md
Run: make catalog

Those of the project that comes along are files of this tree. Any other project's dbt project is put together in its home.
"""

from pathlib import Path

from infra.failures import PermanentFailure, reported
from infra.installation import IS_CLONE
from infra.registry import DEFAULT
from infra.settings import ROOT, settings

if __name__ == "__main__":
    with reported():
        # Imported here, so that a project that does not load is one sentence.
        from batch.catalog import composed
        from batch.catalog.files import files, put, stale

        if settings().project == DEFAULT:
            if not IS_CLONE:
                raise PermanentFailure(
                    "the files of the project that comes along are made in the platform's clone: name one of yours "
                    "(DAYBREAK_PROJECT)"
                )
            put(ROOT, files(), stale(), Path())
        else:
            composed.write(settings())
