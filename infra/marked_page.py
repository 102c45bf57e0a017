"""A page of which some lines are made: those between two markers.

Data flow: the page, its markers, new lines -> the page with them
Run: make catalog
"""

Markers = tuple[str, str]
"""The line before what is made, and the one behind it."""


def made_anew(text: str, markers: Markers, new: str) -> str:
    """The page with these lines between its markers. Raises ValueError where the markers are missing."""
    begin, end = markers
    before, rest = text.split(begin, 1)
    _, after = rest.split(end, 1)
    return f"{before}{begin}\n{new}\n{end}{after}"
