"""Our packages and the project's as one archive that a cluster's executors unpack: their Python runs the driver's code, and no
other.

Data flow: the tree's packages, the project's -> `<folder>/code-<digest>.zip` -> `spark.archives`
Run: pytest tests/infra/test_shipped_code.py
"""

import hashlib
import os
import zipfile
from collections.abc import Iterator
from pathlib import Path

from infra.installation import PACKAGES
from infra.project import Place
from infra.settings import ROOT

UNPACKED = "daybreak"
"""The folder that an executor finds them in, in its working directory. A folder and no zip on the path: schemas of encodings
are files beside the code, and code in a zip would find none of them."""
KEPT = 5
"""A driver that runs gives its executors the file that it began with, so older ones stay for a while."""
LEFT_OUT = ("__pycache__", "venv", "tests", "target")
FIRST_TIME = (1980, 1, 1, 0, 0, 0)


def packed(folder: Path, root: Path = ROOT, project: Place | None = None) -> Path:
    """The archive in `folder`, named by its content; written if it is not there. All but the newest KEPT are removed.

    With the whole package of a `project` that does not lie in the tree: its module's first name.
    """
    packages = {root / name: root for name in PACKAGES if (root / name / "__init__.py").is_file()}
    if project:
        packages.setdefault(project.package, project.path)
    content = {
        str(file.relative_to(path)): file.read_bytes() for package, path in packages.items() for file in _files(package)
    }
    digest = hashlib.sha256()
    for name, text in sorted(content.items()):
        digest.update(f"{name}\n{len(text)}\n".encode() + text)
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / f"code-{digest.hexdigest()[:16]}.zip"
    if not target.exists():
        fresh = target.with_suffix(f".{os.getpid()}")
        with zipfile.ZipFile(fresh, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, text in sorted(content.items()):
                archive.writestr(zipfile.ZipInfo(name, FIRST_TIME), text)
        fresh.replace(target)
    target.touch()
    for old in sorted(folder.glob("code-*.zip"), key=lambda file: file.stat().st_mtime)[:-KEPT]:
        old.unlink(missing_ok=True)
    return target


def _files(package: Path) -> Iterator[Path]:
    """What a package has, without what is hidden (a repository's history, an environment), and what Python or dbt made of it."""
    for file in package.rglob("*"):
        folders = file.relative_to(package).parts[:-1]
        if file.is_file() and not any(name in LEFT_OUT or name.startswith(".") for name in folders):
            yield file
