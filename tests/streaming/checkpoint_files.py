"""A checkpoint's own small files, in memory."""


class Files(dict[str, str]):
    """By name, with their text."""

    def read(self, name: str) -> str | None:
        return self.get(name)

    def write(self, name: str, text: str) -> None:
        self[name] = text
