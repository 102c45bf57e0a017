"""Outcomes of the lab of acknowledgements as given: what each producer has in each situation.

Data flow: figures by situation and producer -> Outcomes
Run: pytest tests/infra/lab/acks
"""

from dataclasses import replace

from infra.lab.acks.figures import Figures
from infra.lab.acks.measure import Outcome
from infra.lab.acks.setting import Setting
from infra.lab.acks.situation import Situation

FAULTLESS = Figures(1000, 1000, 0, 0, 0, 1.5, 1234.5, 600_000)


def outcomes(**wrong: dict[str, int]) -> list[Outcome]:
    """Faultless but for `wrong`: counts by `<situation>_<producer>`, e.g. `killed_none`."""
    return [
        Outcome(
            situation,
            setting,
            replace(FAULTLESS, **wrong.get(f"{situation.name.lower()}_{setting.name.lower()}", {})),  # type: ignore[arg-type]
        )
        for situation in Situation
        for setting in Setting
    ]
