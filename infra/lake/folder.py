"""A folder of the lake for Arrow's own client: a path, or a prefix of a bucket with what its store asks for.

Data flow: Settings, a path as Spark writes it -> Folder, which a task can take along -> pyarrow's file system
Run: pytest tests/infra/test_task_files.py

With delta-rs, Arrow's threads would call Python; one that still does at the end of the process would abort it.
"""

from dataclasses import dataclass, field, replace
from functools import cache

from pyarrow import fs

from infra.failures import PermanentFailure
from infra.lake.login import key
from infra.settings import Settings
from infra.tls import trust

S3 = "s3://"


@dataclass(frozen=True)
class Folder:
    """`root` without a scheme; of a bucket with its endpoint, region, key, and the file of CAs that it is trusted by."""

    root: str
    endpoint: str = ""
    region: str = ""
    access: str = ""
    secret: str = field(default="", repr=False)
    authority: str | None = None

    def below(self, name: str) -> "Folder":
        """A folder in it."""
        return replace(self, root=f"{self.root}/{name}")

    @property
    def files(self) -> fs.FileSystem:
        """Its file system: names are those below it."""
        return _opened(self)

    def put(self, name: str, body: bytes | memoryview) -> None:
        """Write a file, in one piece."""
        if not self.endpoint:
            self.files.create_dir(name.rpartition("/")[0] or ".")
        with self.files.open_output_stream(name) as stream:
            stream.write(body)


@cache
def _opened(folder: Folder) -> fs.FileSystem:
    if not folder.endpoint:
        return fs.SubTreeFileSystem(folder.root, fs.LocalFileSystem())
    client = fs.S3FileSystem(
        access_key=folder.access,
        secret_key=folder.secret,
        region=folder.region,
        endpoint_override=folder.endpoint,
        connect_timeout=10,
        tls_ca_file_path=folder.authority,
    )
    return fs.SubTreeFileSystem(folder.root, client)


def folder(s: Settings, path: str) -> Folder:
    """The folder at a path (`file:`, a plain path, `s3://`, `s3a://`), with this process's key.

    Raises PermanentFailure for a path that Arrow's client does not reach.
    """
    plain = path.removeprefix("file://").removeprefix("file:").replace("s3a://", S3, 1).rstrip("/")
    if plain.startswith("/"):
        return Folder(plain)
    if not plain.startswith(S3):
        raise PermanentFailure(
            f"{path} is neither a folder nor a bucket (s3a://...), so tasks cannot read and write it"
        )
    own = key(s)
    return Folder(plain.removeprefix(S3), s.s3_endpoint, s.s3_region, own.access, own.secret, trust.of_the_store(s))
