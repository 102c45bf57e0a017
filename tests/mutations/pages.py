"""Mistakes about pages: one that asks nobody who he is, one that runs what came with the data.

Data flow: infra/spark_page.py, infra/cluster_files.py -> Mutation
Run: python -m tests.mutations pages
"""

from tests.mutations.mutation import Mutation

SPARK = "tests/infra/test_spark_page.py"

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
)
