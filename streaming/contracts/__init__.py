"""The contracts in force: those of the project (`streaming/project.py`), loaded when they are first asked for.

Data flow: the project's contracts -> CONTRACTS
Run: pytest tests/streaming/test_contracts.py

Not at import: a project's own modules import `streaming.contracts.contract`, which imports this one first.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from streaming.contracts.contract import Contract

CONTRACTS: "dict[str, Contract]"
"""Every topic the platform reads, by name."""

if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        """CONTRACTS. Raises PermanentFailure, a sentence, if the project does not load."""
        if name != "CONTRACTS":
            raise AttributeError(f"module {__name__} has no {name}")
        from streaming.project import contracts

        return globals().setdefault(name, contracts())
