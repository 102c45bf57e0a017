"""Spark's pages ask for a password: of a stream, a night and a gateway, and of a standalone master and its workers.

Data flow: Settings -> Spark settings of all of them; Settings -> the lines with which a person opens a page
Run: daybreak connect spark
"""

from infra.failures import PermanentFailure
from infra.settings import Settings

FILTER = "daybreak.page.Login"
"""infra/page/java/daybreak/page/Login.java, which stands before everything that a page's port answers."""
USER = "owner"


def guarded(s: Settings) -> dict[str, str]:
    """Settings by which every page asks who. If no password is set nobody is let in."""
    return {
        "spark.ui.filters": FILTER,
        f"spark.{FILTER}.param.user": USER,
        # Spark's own pages show no setting with `password` in its name.
        f"spark.{FILTER}.param.password": s.spark_ui_password.get_secret_value(),
        # What shows ends nothing: a site that is open in the same browser could ask for it.
        "spark.ui.killEnabled": "false",
    }


def lines(s: Settings, show: bool = False) -> str:
    """What opens the stream's page, and those that are off. Raises PermanentFailure if there is no password yet."""
    password = s.spark_ui_password.get_secret_value()
    if not password:
        raise PermanentFailure("Spark's pages have no password yet: daybreak up makes it")
    return f"""\
{USER} sees Spark's pages: queries, plans and settings, without passwords; nothing can be ended there
password: {password if show else f"DAYBREAK_SPARK_UI_PASSWORD in {s.home / 'secrets.env'}"}

# the stream's page, in a browser, which asks for both
http://127.0.0.1:{s.stream_ui_port}

# its API, by a program: curl asks for the password
curl -u {USER} http://127.0.0.1:{s.stream_ui_port}/api/v1/applications

# night and gateway have no page until it is turned on, in secrets.env; Spark takes the first free port from 4040 on
DAYBREAK_NIGHT_CONF={{"spark.ui.enabled": "true"}}
DAYBREAK_GATEWAY_CONF={{"spark.ui.enabled": "true"}}

# they, and a standalone master and its workers, ask for the same user and password"""
