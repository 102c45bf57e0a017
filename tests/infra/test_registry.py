"""The registry is the only door to a project: what one declares is everywhere it belongs, and nobody's code is loaded for it.

Data flow: a package that registers -> options, programs, settings, users and roles of a platform
Run: pytest tests/infra/test_registry.py
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from infra.registry import DEFAULT, every, named, parts
from infra.services.roster import roster
from infra.settings import ROOT, Settings

ATTIC = {
    "__init__": "",
    "parts": """
from infra.parts import AtKafka, AtPostgres, Option, Parts, PostgresRole, When

PARTS = Parts(
    title="the attic",
    settings="attic.settings:AtticSettings",
    secrets={"heat_secret": None, "heat_key": "heat_url"},
    options=(Option("heat", "Heat.", needs={"webhooks": "nobody says how warm"}, of_the_stream=True, of_dbt={"HEAT": "on"}),),
    programs={"heat-pump": When.BEFORE_STREAM},
    roster="attic.programs:programs",
    kafka=AtKafka(users={"heat": "reads how warm it is"}, grants="attic.rights:grants", tries={"heat": ("heat",)}),
    postgres=AtPostgres("attic", "heater", {"heater": PostgresRole("writes", sessions=3)}, "attic.rights:grant", {}),
)
""",
    "settings": """
from pydantic_settings import BaseSettings


class AtticSettings(BaseSettings):
    heat_degrees: int = 20
    heat_url: str = ""
    heat_secret: str = ""
    heat_key: str = ""
    kafka_heat_password: str = ""
    postgres_heater_password: str = ""
""",
    "programs": """
from infra.services.program import Name, Program


def programs(s):
    return [Program(Name("heat-pump"), ("true",), lambda pid: None, needs=(Name.KAFKA,))] if s.has("heat") else []
""",
    "rights": """
from infra.kafka.rights import READ, topics
from infra.kafka_users import User


def grants(s):
    return {User("heat"): topics((READ,), f"degrees-{s.heat_degrees}")}
""",
}
ASKED = """
import json
from infra import registry

registry.REGISTERED["attic"] = "attic.parts:PARTS"
from infra import options
from infra.commands.kafka_lines import MAY
from infra.commands.postgres_lines import HOMES
from infra.kafka import rights
from infra.kafka_users import User
from infra.services.program import Name
from infra.services.roles import ENTERS, OWNERS
from infra.services.roster import roster
from infra.secrets import anew
from infra.settings import Settings

own = Settings(project="attic", options="heat,webhooks")
try:
    options.chosen("heat")
except ValueError as refused:
    needs = str(refused)
grants = rights.grants(own, {User.SENDER: (), User.WEBHOOKS: ()})
print(json.dumps({
    "options": [options.chosen(own.options), needs, "heat" in options.OF_THE_STREAM, options.of_dbt(own.options)],
    "order": list(Name)[list(Name).index("heat-pump") + 1],
    "runs": ["heat-pump" in roster(own), "heat-pump" in roster(Settings(options="heat,webhooks"))],
    "setting": own.heat_degrees,
    "made": [[name for name in anew(s) if "HEAT" in name] for s in (own, Settings(heat_url="http://yours"))],
    "kafka": [User.SENDER, MAY[User("heat")], [one.name for one in grants[User("heat")]]],
    "tried": [one.may for one in rights.TRIES if one.what == "heat"],
    "postgres": [OWNERS["attic"], ENTERS["attic"], HOMES["heater"]],
}))
"""
LOADED = """
import sys
import infra.commands.connect, infra.commands.platform, infra.kafka.rights, infra.options, infra.postgres_rights
from infra.settings import load

load()
print(*(name for name in sys.modules if name.startswith("infra.shop.")))
"""


def said_by(code: str, home: Path, *path: Path) -> str:
    env = os.environ | {"DAYBREAK_HOME": str(home), "PYTHONPATH": ":".join(map(str, (ROOT, *path)))}
    return subprocess.run(
        [sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True, cwd=ROOT
    ).stdout


@pytest.fixture(scope="module")
def attic(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What a platform says in which one more project has registered."""
    path = tmp_path_factory.mktemp("path")
    (path / "attic").mkdir()
    for file, text in ATTIC.items():
        (path / "attic" / f"{file}.py").write_text(text)
    found: dict[str, Any] = json.loads(said_by(ASKED, tmp_path_factory.mktemp("home"), path))
    return found


def test_its_options_are_the_platforms_too(attic: dict[str, Any]) -> None:
    needs = "the option heat needs webhooks: nobody says how warm"
    assert attic["options"] == [["heat", "webhooks"], needs, True, {"HEAT": "on"}]


def test_its_programs_run_where_it_is_in_force(attic: dict[str, Any]) -> None:
    assert attic["order"] == "stream"
    assert attic["runs"] == [True, False]


def test_its_settings_users_and_roles_are_there(attic: dict[str, Any]) -> None:
    assert attic["setting"] == 20
    made = ["DAYBREAK_KAFKA_HEAT_PASSWORD", "DAYBREAK_POSTGRES_HEATER_PASSWORD", "DAYBREAK_HEAT_SECRET"]
    assert attic["made"] == [[*made, "DAYBREAK_HEAT_KEY"], made]
    assert attic["kafka"] == ["shop", "reads how warm it is", ["degrees-20"]]
    assert attic["tried"] == [["owner", "broker", "heat"]]
    assert attic["postgres"] == ["heater", ["heater"], "attic"]


def test_a_project_that_is_not_registered_has_no_parts(s: Settings) -> None:
    other = str(ROOT / "tests" / "sensors")
    assert not parts(other).options
    its = {*every()[DEFAULT].programs}
    on = s.model_copy(update={"options": "shop-db,order-service"})
    assert {*roster(on)} & its == its
    assert not {*roster(on.model_copy(update={"project": other}))} & its


def test_a_declaration_loads_no_code_of_its_project(tmp_path: Path) -> None:
    words = {f"infra.shop.{one}" for one in ("parts", "options", "doors", "settings")}
    assert {*said_by(LOADED, tmp_path).split()} == words


@pytest.mark.parametrize("project", every())
def test_what_it_names_is_there(project: str) -> None:
    own = parts(project)
    said = [own.settings, own.roster, own.kafka and own.kafka.grants, own.postgres and own.postgres.grants]
    for name in (*said, *(one.after_off for one in own.options)):
        assert not name or callable(named(name))
