"""The console of the commands: as wide as the terminal, and wide enough for every table without one.

Data flow: tables and messages -> the terminal, a pipe or a file
Run: daybreak reconciliation --from 2026-01-01 --to 2026-01-03 | cat
"""

from typing import Any

from rich.console import Console, ConsoleDimensions

PIPE_WIDTH = 1000
"""Width of a pipe or file in columns: more than any table needs, so that no value is cut off or folded."""


class Screen(Console):
    """Rich's console, with PIPE_WIDTH instead of 80 columns for a pipe. COLUMNS in the environment still counts."""

    def __init__(self, pipe_width: int = PIPE_WIDTH, **options: Any) -> None:
        super().__init__(highlight=False, **options)
        self._pipe_width = pipe_width

    def say(self, text: str) -> None:
        """A line as it is, never folded."""
        self.print(text, markup=False, soft_wrap=True)

    @property
    def size(self) -> ConsoleDimensions:
        """The terminal's size; a pipe is as wide as PIPE_WIDTH."""
        found = super().size
        return (
            found if self.is_terminal or self._width is not None else ConsoleDimensions(self._pipe_width, found.height)
        )

    @size.setter
    def size(self, new_size: tuple[int, int]) -> None:
        self._width, self._height = new_size
