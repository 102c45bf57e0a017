"""Who logs in to the embedded Airflow: their roles, their passwords, and the lines with which a person logs in.

Data flow: Settings -> Airflow's list of users and its file of passwords; Settings, a user -> lines to copy
Run: daybreak connect airflow
"""

from dataclasses import dataclass

from infra.airflow_settings import AirflowUser
from infra.failures import PermanentFailure
from infra.settings import Settings
from infra.tls_settings import ca_file

MAY = {
    AirflowUser.VIEWER: "sees DAGs, runs, logs and reports, and changes nothing: for people who look",
    AirflowUser.OPERATOR: "starts, stops and redoes runs, and answers approval requests: for the command line and people on duty",
    AirflowUser.ADMIN: "does everything; connections, variables, pools, and what deletes: for you and your administration",
}
ROLES = {AirflowUser.VIEWER: "viewer", AirflowUser.OPERATOR: "user", AirflowUser.ADMIN: "admin"}
"""In the words of Airflow's simple auth manager; `op`, which nobody has, may change connections and variables too."""


@dataclass(frozen=True)
class Login:
    """A user of the embedded Airflow."""

    name: str
    role: str
    setting: str
    """The setting with its password."""
    password: str


def login(s: Settings, user: AirflowUser) -> Login:
    """The user's; the operator's is what the command line says."""
    if user is AirflowUser.OPERATOR:
        return Login(s.airflow_user, ROLES[user], "DAYBREAK_AIRFLOW_PASSWORD", s.airflow_password.get_secret_value())
    secret = {AirflowUser.VIEWER: s.airflow_viewer_password, AirflowUser.ADMIN: s.airflow_admin_password}[user]
    return Login(str(user), ROLES[user], f"DAYBREAK_AIRFLOW_{user.upper()}_PASSWORD", secret.get_secret_value())


def logins(s: Settings) -> list[Login]:
    """Of everybody. Raises PermanentFailure if two have one name, or if somebody has no password: nobody logs in without."""
    found = [login(s, user) for user in AirflowUser]
    if len({one.name for one in found}) < len(found):
        raise PermanentFailure(
            f"setting DAYBREAK_AIRFLOW_USER is wrong: {s.airflow_user} is another user of the embedded Airflow; leave it out"
        )
    if missing := [one.setting for one in found if not one.password]:
        raise PermanentFailure(f"Airflow has no password for everybody ({', '.join(missing)}): daybreak up makes them")
    return found


def lines(s: Settings, user: AirflowUser, show: bool = False) -> str:
    """The lines. The password itself only if it is asked for. Raises PermanentFailure if the user has none."""
    if not s.embedded("airflow_url"):
        raise PermanentFailure(
            f"the Airflow at {s.airflow_url} is yours, with users of its own; we log in as {s.airflow_user} "
            "(DAYBREAK_AIRFLOW_USER), who needs what infra/README.md lists for an operator"
        )
    own = login(s, user)
    if not own.password:
        raise PermanentFailure(f"Airflow has no password of {own.name} yet: daybreak up makes it")
    return f"""\
{own.name} {MAY[user]}
password: {own.password if show else f"{own.setting} in {s.home / 'secrets.env'}"}

# in a browser, which asks for both
{s.airflow_url}

# its API, in Python: pip install httpx; the token is good for a day
import httpx
secrets = dict(line.split("=", 1) for line in open({str(s.home / "secrets.env")!r}).read().splitlines())
login = {{"username": {own.name!r}, "password": secrets[{own.setting!r}]}}
airflow = httpx.Client(base_url={s.airflow_url!r}{_verified(s)})
airflow.headers["Authorization"] = "Bearer " + airflow.post("/auth/token", json=login).json()["access_token"]
print(airflow.get("/api/v2/dags/nightly/dagRuns").json())"""


def _verified(s: Settings) -> str:
    return f", verify=__import__('ssl').create_default_context(cafile={str(ca_file(s.home))!r})" if s.has_tls else ""
