"""Mistakes about pages: one that asks nobody who he is, one that runs what came with the data.

Data flow: infra/spark_page.py, infra/airflow, infra/page, batch/report/page.py -> Mutation
Run: python -m tests.mutations pages
"""

from tests.mutations.mutation import Mutation

SPARK = "tests/infra/test_spark_page.py"
AIRFLOW = "tests/infra/services/test_airflow.py"
HOSTILE = "tests/batch/report/test_hostile.py"
ROLES = "tests/dags/test_roles.py::test_each_role_may_do_what_the_table_says"

PAGES = (
    Mutation(
        "pages: Spark's pages ask nobody who he is",
        "infra/spark_conf.py",
        "        **spark_page.guarded(s),\n",
        "",
        f"{SPARK}::test_who_says_nothing_gets_nothing",
    ),
    Mutation(
        "pages: master and workers show theirs to everybody",
        "infra/cluster_files.py",
        " | spark_page.guarded(s) | DAEMONS",
        " | DAEMONS",
        "tests/infra/test_cluster_conf.py::test_the_masters_folder_is_its_owners_only",
    ),
    Mutation(
        "pages: the password of Spark's pages is empty where none was made",
        "infra/secrets.py",
        '    wanted["DAYBREAK_SPARK_UI_PASSWORD"] = _password()\n',
        "",
        f"{SPARK}::test_the_command_tells_where_the_password_is",
    ),
    Mutation(
        "pages: the lines to open Spark's show the password to whoever looks on",
        "infra/spark_page.py",
        "password if show else f",
        "password or f",
        f"{SPARK}::test_the_command_tells_where_the_password_is",
    ),
    Mutation(
        "pages: an operator deletes runs with their notes and answers",
        "infra/airflow/roles.py",
        'method == "DELETE" or ',
        "",
        ROLES,
    ),
    Mutation(
        "pages: an operator writes an answer in another person's name",
        "infra/airflow/roles.py",
        'method != "GET"',
        'method == "MENU"',
        ROLES,
    ),
    Mutation(
        "pages: an operator may change connections",
        "infra/airflow/users.py",
        'AirflowUser.OPERATOR: "user"',
        'AirflowUser.OPERATOR: "op"',
        ROLES,
    ),
    Mutation(
        "pages: whoever reaches Airflow's port sees the dbt docs",
        "dags/plugins/dbt_docs.py",
        ", dependencies=[Depends(LOGGED_IN)]",
        "",
        "tests/dags/test_roles.py::test_who_has_not_logged_in_may_do_nothing",
    ),
    Mutation(
        "pages: the command line is Airflow's admin",
        "infra/airflow_settings.py",
        "str(AirflowUser.OPERATOR)",
        "str(AirflowUser.ADMIN)",
        f"{AIRFLOW}::test_airflow_has_three_users_with_a_password_each",
    ),
    Mutation(
        "pages: Airflow lets in whoever says an empty password",
        "infra/airflow/users.py",
        "if not one.password]",
        "if one.password is None]",
        f"{AIRFLOW}::test_nobody_logs_in_without_a_password_or_under_two_roles",
    ),
    Mutation(
        "pages: a page runs whatever script came into it",
        "infra/page/policy.py",
        '"script-src": own,',
        '"script-src": "\'unsafe-inline\'",',
        f"{HOSTILE}::test_what_one_forgot_to_escape_runs_nothing_either",
    ),
    Mutation(
        "pages: a page loads pictures from anywhere",
        "infra/page/policy.py",
        '"img-src": "data:",',
        '"img-src": "*",',
        f"{HOSTILE}::test_what_one_forgot_to_escape_runs_nothing_either",
    ),
    Mutation(
        "pages: data of a report ends its script element",
        "batch/report/page.py",
        'figures=data.replace("<", "\\\\u003c")',
        "figures=data",
        f"{HOSTILE}::test_a_report_of_hostile_texts_runs_nothing_and_asks_nobody",
    ),
    Mutation(
        "pages: a cell of a table is markup",
        "infra/page/look.py",
        "escape('' if value is None else str(value))",
        "'' if value is None else str(value)",
        f"{HOSTILE}::test_a_labs_page_of_hostile_texts_runs_nothing",
    ),
    Mutation(
        "pages: the dbt docs run what a description says",
        "infra/sql/docs.py",
        "policy([script])",
        "''",
        "tests/dbt/test_docs_page.py::test_markup_in_a_description_runs_nothing",
    ),
    Mutation(
        "pages: a description ends the script of the dbt docs",
        "infra/sql/docs.py",
        "    script = ENDS.sub(",
        "    _ = ENDS.sub(",
        "tests/dbt/test_docs_page.py::test_markup_in_a_description_runs_nothing",
    ),
    Mutation(
        "pages: daybreak docs serves whoever finds its port",
        "infra/commands/query.py",
        "is_it = secrets.compare_digest(self.path.encode(), self._at.encode())",
        "is_it = bool(self._at)",
        "tests/infra/test_query.py::test_the_docs_are_served_to_whom_their_address_was_told",
    ),
    Mutation(
        "pages: a driver reads Java objects from anybody on this machine",
        "infra/spark_conf.py",
        'shared["spark.authenticate"] = "true"',
        'shared["spark.authenticate"] = "false"',
        f"{SPARK}::test_no_port_of_a_session_answers_anybody",
    ),
)
