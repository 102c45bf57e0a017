"""Mistakes about pages: one that asks nobody who he is, one that runs what came with the data.

Data flow: infra/spark_page.py, infra/cluster_files.py, infra/airflow -> Mutation
Run: python -m tests.mutations pages
"""

from tests.mutations.mutation import Mutation

SPARK = "tests/infra/test_spark_page.py"
AIRFLOW = "tests/infra/services/test_airflow.py"
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
)
