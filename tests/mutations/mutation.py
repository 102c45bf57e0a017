"""A mutation: one small, plausible mistake in the code's own logic, and the check that has to notice it.

Data flow: a source file -> the same file with one edit
Run: python -m tests.mutations
"""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Mutation:
    """`old` stands exactly once in `file` (from the repository's root); `caught_by` is a pytest node id."""

    name: str
    file: str
    old: str
    new: str
    caught_by: str

    def edited(self, text: str) -> str:
        """The file's text with the mistake. Raises ValueError unless `old` stands in it exactly once."""
        if (found := text.count(self.old)) != 1:
            raise ValueError(f"{self.name}: what it edits stands {found} times in {self.file}")
        return text.replace(self.old, self.new)

    def apply(self, root: Path) -> None:
        """Make the mistake in the tree at `root`."""
        path = root / self.file
        path.write_text(self.edited(path.read_text()))
