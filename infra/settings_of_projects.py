"""The settings that projects that come along have of their own, as a class: each home knows them, and only their code reads them.

Data flow: `settings` of each registered project's Parts -> OfProjects -> Settings
Run: daybreak doctor
"""

from types import new_class
from typing import TYPE_CHECKING

from pydantic_settings import BaseSettings

from infra.registry import every, named

if TYPE_CHECKING:

    class OfProjects(BaseSettings):
        """To whom asks for types it has none: the platform cannot name one."""
else:
    OfProjects = new_class("OfProjects", tuple(named(own.settings) for own in every().values() if own.settings))
