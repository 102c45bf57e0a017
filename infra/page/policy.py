"""What a page of ours may do: run its own scripts, known by their hashes, and ask nobody for anything.

Data flow: the page's scripts and styles -> a `meta` element, which stands before all that comes from data
Run: daybreak report --date 2026-01-31 --out report.html
Source: Content Security Policy Level 3 (W3C).
"""

import base64
import hashlib
from collections.abc import Iterable
from html import escape

WHO_FRAMES = "frame-ancestors 'self'"
"""What only a header can say, here and in dags/own_page.py."""


def policy(scripts: Iterable[str], style: str | None = None, attributes: bool = False) -> str:
    """The element. `scripts` are the texts of its script elements, `style` that of its style element; None allows any.

    `attributes`: elements have a style of their own, as the width of a bar.
    """
    own = " ".join(map(_hash, scripts)) or "'none'"
    rules = {
        "default-src": "'none'",
        "script-src": own,
        "style-src": "'unsafe-inline'" if style is None else _hash(style),
        **({"style-src-attr": "'unsafe-inline'"} if attributes else {}),
        "img-src": "data:",
        "font-src": "data:",
        "base-uri": "'none'",
        "form-action": "'none'",
    }
    said = "; ".join(f"{name} {value}" for name, value in rules.items())
    return f'<meta http-equiv="Content-Security-Policy" content="{escape(said, quote=False)}">'


def _hash(text: str) -> str:
    """By which a browser knows the text between two tags."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
