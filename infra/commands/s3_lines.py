"""The lines with which a program of yours reads the lake's files, and the file with the key that they name.

Data flow: Settings, a user -> `<home>/s3-clients/<user>.json`, `<user>.sql` (0600); lines for Python, DuckDB and other clients
Run: daybreak connect s3
"""

import json
from pathlib import Path
from urllib.parse import urlsplit

from infra.failures import PermanentFailure
from infra.lake import login, reader
from infra.owner_file import put
from infra.settings import Settings
from infra.store_users import User
from infra.tls import files as tls
from infra.tls.trust import BY_FILE, of_the_store

MAY = {
    User.ROOT: "does everything, and says who may do what: for you and your administration",
    User.STREAM: "reads all, and writes the stream's tables: for the stream",
    User.NIGHT: "reads all, and writes the night's tables and reports: for the nightly steps",
    User.GATEWAY: "reads all, and writes gold: for the SQL gateway",
    User.READER: "reads every table of the lake, and does nothing else: for people and tools",
}


def lines(s: Settings, user: User, show: bool = False) -> str:
    """The lines. The secret itself only if it is asked for. Raises PermanentFailure if there is no key."""
    own = login.key(s, user)
    if not own.access:
        raise PermanentFailure(f"the lake's store has no key of {user} yet: daybreak up makes it")
    options, secret = files(s, user)
    return f"""\
{user} {MAY[user]}
access key: {own.access}
secret key: {own.secret if show else options}

# Python: pip install deltalake
import json{_trusting(s)}
from deltalake import DeltaTable
options = json.load(open({str(options)!r}))
events = DeltaTable("s3://{s.bucket}/silver/events", storage_options=options)
print(events.to_pyarrow_dataset().count_rows())

# DuckDB's command line: it fetches its extensions itself
.read {secret}
SELECT count(*) FROM delta_scan('s3://{s.bucket}/silver/events');

# any other client of S3: path-style addresses, region {s.s3_region}{_authority(s)}
{s.s3_endpoint}/{s.bucket}"""


def _trusting(s: Settings) -> str:
    """delta-rs has no option that names a CA."""
    return f", os\nos.environ[{BY_FILE!r}] = {str(tls.files(s).trusted)!r}" if of_the_store(s) else ""


def _authority(s: Settings) -> str:
    return f"; its certificate is issued by the CA in {file}" if (file := of_the_store(s)) else ""


def files(s: Settings, user: User) -> tuple[Path, Path]:
    """What delta-rs and DuckDB are given, the secret too: only their owner reads them."""
    options = options_file(s, user)
    secret = options.with_suffix(".sql")
    options.parent.mkdir(parents=True, exist_ok=True)
    put(options, json.dumps(reader.options(s, user), indent=1))
    put(secret, _secret(s, user))
    return options, secret


def options_file(s: Settings, user: User) -> Path:
    """Where delta-rs's are, once they were asked for."""
    return s.home / "s3-clients" / f"{user}.json"


def _secret(s: Settings, user: User) -> str:
    own, at = login.key(s, user), urlsplit(s.s3_endpoint)
    told = {
        "KEY_ID": own.access,
        "SECRET": own.secret,
        "REGION": s.s3_region,
        "ENDPOINT": f"{at.netloc}{at.path}",
        "URL_STYLE": "path",
        "SCOPE": f"s3://{s.bucket}",
    }
    parts = ["TYPE s3", *(f"{name} {_quoted(value)}" for name, value in told.items())]
    parts.append(f"USE_SSL {str(at.scheme == 'https').lower()}")
    return f"INSTALL httpfs;\nINSTALL delta;\nCREATE OR REPLACE SECRET daybreak ({', '.join(parts)});\n"


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
