"""The dbt docs as a page that runs dbt's own script and no other, and asks nobody for anything.

Data flow: `<home>/dbt/target/static_index.html`, as dbt wrote it -> the same file with a policy
Run: python -m batch.gold docs
"""

import re
from pathlib import Path

from infra.failures import PermanentFailure
from infra.page.policy import policy
from infra.page.write import put

HEAD, BEGIN, END = '<meta charset="utf-8">', '<script defer="defer">', "</script>"
"""Of dbt's page, which is one element of script: program, manifest and catalogue."""
ENDS = re.compile("<(?=/script|!--)", re.IGNORECASE)
"""What would end the element, or hide its end, in a text of the manifest. JavaScript reads the same with a backslash behind."""


def seal(page: Path) -> None:
    """Write the page anew with its policy; one that has it stays. Raises PermanentFailure if it is not as dbt's are."""
    text = page.read_text()
    if "Content-Security-Policy" not in text.partition(BEGIN)[0]:
        put(page, sealed(text).encode())


def sealed(text: str) -> str:
    """The page with a policy, by the hash of the script. AngularJS, which dbt uses, is told not to make code of texts."""
    before, begin, rest = text.partition(BEGIN)
    script, end, after = rest.rpartition(END)
    if not (end and begin and HEAD in before):
        raise PermanentFailure(
            "dbt has written its docs in another way than before: infra/sql/docs.py finds no script in it"
        )
    script = ENDS.sub(r"<\\", script)
    head = before.replace("<html", '<html ng-csp="no-unsafe-eval"', 1).replace(HEAD, f"{HEAD}{policy([script])}", 1)
    return f"{head}{begin}{script}{end}{after}"
