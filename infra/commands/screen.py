"""Where the commands print: as wide as the terminal, and as wide as it takes where there is none.

Data flow: tables and sentences -> the terminal, or a pipe or file, which has no edge
Run: daybreak reconciliation --from 2026-01-01 --to 2026-01-03 | cat
"""

from typing import Any

from rich.console import Console, ConsoleDimensions

PIPE_WIDTH = 1000
"""Columns: more than any table of ours needs, so that no figure is cut off or folded."""


class Screen(Console):
    """Rich's console, which takes a pipe for 80 columns. COLUMNS in the environment still counts."""

    def __init__(self, pipe_width: int = PIPE_WIDTH, **options: Any) -> None:
        super().__init__(highlight=False, **options)
        self._pipe_width = pipe_width

    @property
    def size(self) -> ConsoleDimensions:
        """Of the terminal; a pipe is as wide as PIPE_WIDTH."""
        found = super().size
        return (
            found if self.is_terminal or self._width is not None else ConsoleDimensions(self._pipe_width, found.height)
        )

    @size.setter
    def size(self, new_size: tuple[int, int]) -> None:
        self._width, self._height = new_size
