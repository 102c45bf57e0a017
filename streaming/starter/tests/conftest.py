"""The tests are of this project, wherever they are started.

Data flow: this file's place -> DAYBREAK_PROJECT
Run: pytest tests
"""

import os
from pathlib import Path

os.environ["DAYBREAK_PROJECT"] = str(Path(__file__).resolve().parent.parent)
