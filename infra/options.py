"""Parts of the platform that are off by default; `daybreak up --with` turns them on. A project that comes along has its own.

Data flow: names, comma-separated -> the options that are on; `<home>/options.env` keeps them
Run: daybreak up --with webhooks
"""

import os
from collections.abc import Collection, Mapping
from pathlib import Path

from infra.failures import PermanentFailure
from infra.parts import Option
from infra.registry import every

WEBHOOKS, NOTIFY, QUEUE = "webhooks", "notify", "queue"
EVERY = {
    one.name: one
    for one in (
        *(one for own in every().values() for one in own.options),
        Option(WEBHOOKS, "Signed events by HTTP: `POST /topics/<topic>`."),
        Option(NOTIFY, "Alerts and corrections out, by signed HTTP requests and mail."),
        Option(QUEUE, "A queue broker, for the labs that compare it with the log."),
    )
}
OPTIONS = tuple(EVERY)
OF_THE_STREAM = tuple(name for name, one in EVERY.items() if one.of_the_stream)
"""Those that change which topics the stream reads, or what its views read: it is started again when one is turned on or off."""
OPTIONS_FILE, VARIABLE = "options.env", "DAYBREAK_OPTIONS"


def chosen(names: str) -> list[str]:
    """The options that are named, in the order of OPTIONS. Raises ValueError for a name that is none."""
    wanted = {name.strip() for name in names.split(",")} - {""}
    if unknown := sorted(wanted - {*OPTIONS}):
        raise ValueError(f"there is no option {', '.join(unknown)}; there is {', '.join(OPTIONS)}")
    found = [name for name in OPTIONS if name in wanted]
    for name in found:
        for need, why in EVERY[name].needs.items():
            if need not in wanted:
                raise ValueError(f"the option {name} needs {need}: {why}")
    return found


def keep(home: Path, now: str, more: Collection[str], fewer: Collection[str]) -> None:
    """Write which options are on from now on. Raises PermanentFailure for an unknown one, or where the environment decides."""
    if (given := os.environ.get(VARIABLE)) is not None:
        raise PermanentFailure(f"{VARIABLE}={given} in the environment decides which options are on: change it there")
    try:
        on = chosen(",".join((*chosen(now), *more)))
        known = {*fewer} - {*OPTIONS}
        found = chosen(",".join([name for name in on if name not in fewer] + sorted(known)))
    except ValueError as wrong:
        raise PermanentFailure(str(wrong)) from wrong
    home.mkdir(parents=True, exist_ok=True)
    (home / OPTIONS_FILE).write_text(f"{VARIABLE}={','.join(found)}\n")


def of_dbt(names: str) -> Mapping[str, str]:
    """Variables of dbt's environment, of the options that are on."""
    return {name: value for one in chosen(names) for name, value in EVERY[one].of_dbt.items()}
