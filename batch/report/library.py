"""D3, which draws the charts: the copy that Spark's own UI uses, out of the pyspark wheel.

Data flow: pyspark/jars/spark-core_*.jar -> d3.min.js
Run: pytest tests/batch/report/test_page.py

So it needs no download and no package, and its bytes are pinned by the wheel's hash in infra/requirements.lock.
"""

import zipfile
from functools import cache
from pathlib import Path

import pyspark

from infra.failures import PermanentFailure

PATH = "org/apache/spark/ui/static/d3.min.js"
MAJOR = "v7."


@cache
def d3() -> str:
    """The library's text. Raises PermanentFailure if Spark no longer brings it, or brings another major version."""
    jars = sorted((Path(pyspark.__file__).parent / "jars").glob("spark-core_*.jar"))
    for jar in jars:
        with zipfile.ZipFile(jar) as files:
            if PATH in files.namelist():
                text = files.read(PATH).decode()
                if MAJOR in text[:80]:
                    return text
    raise PermanentFailure(
        f"no spark-core jar of pyspark {pyspark.__version__} has {PATH} of D3 {MAJOR}x: see batch/report/library.py"
    )
