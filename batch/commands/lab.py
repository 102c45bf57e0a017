"""The commands `lab ...`: those of the platform, and those of the project in force.

Data flow: infra/commands/lab.py, the project's hooks -> one group of commands
Run: daybreak lab --help
"""

from infra.commands.lab import commands, labs
from streaming.hooks import commands as of_project
from streaming.hooks import hooks

__all__ = ("commands",)

for family in hooks().labs:
    labs.registered_commands += of_project(family).registered_commands
