"""Our packages as one archive that a cluster's executors unpack: their Python runs the driver's code, and no other.

Data flow: the tree's packages -> `<folder>/code-<digest>.zip` -> `spark.archives`
Run: pytest tests/infra/test_shipped_code.py
"""

import hashlib
import os
import zipfile
from pathlib import Path

from infra.settings import ROOT

UNPACKED = "daybreak"
"""The folder that an executor finds them in, in its working directory. A folder and no zip on the path: schemas of encodings
are files beside the code, and code in a zip would find none of them."""
KEPT = 5
"""A driver that runs gives its executors the file that it began with, so older ones stay for a while."""
FIRST_TIME = (1980, 1, 1, 0, 0, 0)


def packed(folder: Path, root: Path = ROOT) -> Path:
    """The archive in `folder`, named by its content; written if it is not there. All but the newest KEPT are removed."""
    found = sorted(file for package in root.glob("*/__init__.py") for file in package.parent.rglob("*") if _ours(file))
    content = {str(file.relative_to(root)): file.read_bytes() for file in found}
    digest = hashlib.sha256()
    for name, text in content.items():
        digest.update(f"{name}\n{len(text)}\n".encode() + text)
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / f"code-{digest.hexdigest()[:16]}.zip"
    if not target.exists():
        fresh = target.with_suffix(f".{os.getpid()}")
        with zipfile.ZipFile(fresh, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, text in content.items():
                archive.writestr(zipfile.ZipInfo(name, FIRST_TIME), text)
        fresh.replace(target)
    target.touch()
    for old in sorted(folder.glob("code-*.zip"), key=lambda file: file.stat().st_mtime)[:-KEPT]:
        old.unlink(missing_ok=True)
    return target


def _ours(file: Path) -> bool:
    return file.is_file() and "__pycache__" not in file.parts
