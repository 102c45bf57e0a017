"""Mistakes in how a project is found and loaded.

Data flow: infra/project.py, infra/registry.py, infra/shipped_code.py, streaming/project.py -> Mutation
Run: python -m tests.mutations project
"""

from tests.mutations.mutation import Mutation

OPTIONS = "tests/infra/test_options.py"
REGISTRY = "tests/infra/test_registry.py"
PLACE = "tests/infra/test_project_place.py"
HOOKS = "tests/batch/test_hooks.py"
OWN = "tests/streaming/test_own_project.py"
SETTINGS = "tests/infra/test_project_settings.py"
WHEEL = "tests/infra/setup/test_wheel.py"

PROJECTS = (
    Mutation(
        "project: another one's home is taken",
        "infra/project.py",
        "if own != s.project:",
        "if False:",
        f"{PLACE}::test_a_home_has_the_data_of_one_project",
    ),
    Mutation(
        "project: an old home takes any",
        "infra/project.py",
        "DEFAULT if has_data else s.project",
        "s.project",
        f"{PLACE}::test_a_home_of_before_has_the_shops_data",
    ),
    Mutation(
        "project: another one's options are turned on",
        "infra/project.py",
        "if project != s.project and (its",
        "if project == s.project and (its",
        f"{PLACE}::test_an_option_of_the_shop_is_refused_elsewhere",
    ),
    Mutation(
        "project: another one's programs run",
        "infra/services/roster.py",
        "parts(s.project).roster",
        'parts("streaming.shop").roster',
        f"{REGISTRY}::test_a_project_that_is_not_registered_has_no_parts",
    ),
    Mutation(
        "project: an option is on without what it needs",
        "infra/options.py",
        "if need not in wanted:",
        "if need not in OPTIONS:",
        f"{OPTIONS}::test_a_wrong_choice_is_refused_and_nothing_kept",
    ),
    Mutation(
        "project: views keep what an option has left",
        "infra/services/rebuild.py",
        "any(EVERY[name].anew_off for name in old - new)",
        "any(EVERY[name].anew_off for name in new - old)",
        f"{OPTIONS}::test_only_a_stream_with_state_is_rebuilt_for_other_options",
    ),
    Mutation(
        "project: a room of the night hides it",
        "infra/project.py",
        'if one != str(ROOT / "batch")',
        "if one",
        f"{PLACE}::test_a_room_of_the_night_hides_no_project",
    ),
    Mutation(
        "project: of two commands of one name the platform's is hidden",
        "batch/commands/__init__.py",
        "if twice := sorted(COMMANDS.keys() & own.keys()):",
        "if twice := sorted(COMMANDS.keys() - COMMANDS.keys()):",
        f"{HOOKS}::test_a_command_of_the_platforms_name_is_refused",
    ),
    Mutation(
        "project: the shop's labs are on another one's page",
        "infra/lab/labs.py",
        "project == DEFAULT or lab not in OF_DEFAULT",
        "project",
        f"{HOOKS}::test_another_project_neither_lists_nor_loads_the_shops_commands",
    ),
    Mutation(
        "project: programs look for a folder from where they run",
        "infra/services/program.py",
        'name.startswith("DAYBREAK_") and name != PROJECT',
        'name.startswith("DAYBREAK_")',
        f"{PLACE}::test_every_program_gets_it_wherever_it_runs",
    ),
    Mutation(
        "project: executors get one of its packages only",
        "infra/shipped_code.py",
        "packages.setdefault(project.package, project.path)",
        "packages.setdefault(project.folder, project.path)",
        "tests/infra/test_shipped_code.py::test_a_projects_whole_package_is_beside_ours",
    ),
    Mutation(
        "project: a changed file of it changes no version",
        "streaming/versions/definition_cache.py",
        "(*(ROOT / name for name in FOLDERS), project.folder().folder)",
        "[ROOT / name for name in FOLDERS]",
        "tests/streaming/test_known_definitions.py::test_a_changed_file_of_the_project_is_planned_anew",
    ),
    Mutation(
        "project: of two views of one name the last counts",
        "streaming/project.py",
        '_refuse_twice("views", (one.name for one in found))',
        "pass",
        f"{OWN}::test_what_is_wrong_is_one_sentence",
    ),
    Mutation(
        "project: a view of a topic that there is not is taken",
        "streaming/project.py",
        "sorted({*one.inputs} - {*topics})",
        "sorted({*one.inputs} - {*one.inputs})",
        f"{OWN}::test_what_is_wrong_is_one_sentence",
    ),
    Mutation(
        "project: another package of its name is taken for it",
        "streaming/project_code.py",
        "if not origin.is_relative_to(own.folder):",
        "if not origin:",
        f"{OWN}::test_another_package_of_its_name_is_not_taken_for_it",
    ),
    Mutation(
        "project: a secret may stand in its repository",
        "infra/project_setting.py",
        "if known[name]:",
        "if known[name] is None:",
        f"{SETTINGS}::test_what_may_not_stand_there_is_one_sentence",
    ),
    Mutation(
        "project: its settings are above the environment's",
        "infra/project_setting.py",
        'if f"daybreak_{name}" not in given',
        "if name not in given",
        f"{SETTINGS}::test_the_environment_and_the_home_have_the_last_word",
    ),
    Mutation(
        "project: a view adds up doubles",
        "streaming/views/faults.py",
        "if not isinstance(kinds[name], IntegralType)",
        "if not kinds[name]",
        f"{OWN}::test_what_is_wrong_is_one_sentence",
    ),
    Mutation(
        "wheel: an installed platform's home lies among the packages",
        "infra/project_setting.py",
        "if IS_CLONE:",
        "if STATE:",
        f"{WHEEL}::test_an_installed_platforms_home_is_in_the_folder_where_one_is",
    ),
    Mutation(
        "wheel: what it starts elsewhere has another home",
        "infra/project_setting.py",
        'os.environ["DAYBREAK_HOME"] = str(home)',
        "pass",
        f"{WHEEL}::test_an_installed_platforms_home_is_in_the_folder_where_one_is",
    ),
    Mutation(
        "wheel: executors get every package of the environment",
        "infra/shipped_code.py",
        'packages = {root / name: root for name in PACKAGES if (root / name / "__init__.py").is_file()}',
        'packages = {file.parent: root for file in root.glob("*/__init__.py")}',
        "tests/infra/test_shipped_code.py::test_a_projects_whole_package_is_beside_ours",
    ),
    Mutation(
        "wheel: after an upgrade a home keeps the jars of before",
        "infra/services/place.py",
        "if here.is_symlink() and here.resolve() != installed.resolve():",
        "if here.is_symlink() and not here.exists():",
        "tests/infra/services/test_place.py::test_after_an_upgrade_a_home_has_the_new_jars",
    ),
)
