"""A session on a cluster: its share, where it listens, who may talk to it, and what is refused before anything starts."""

from pathlib import Path

import pytest
from spark_cluster import told

from infra import cluster_files, secrets, spark_page
from infra.cluster_conf import guarded, refuse_unreachable, share
from infra.failures import PermanentFailure
from infra.jvm import LATER_C2
from infra.out_of_memory import ENDS
from infra.settings import Settings, load
from infra.spark_conf import spark_defaults

ADDRESS = "10.0.0.1"
OURS = {
    "kafka_bootstrap": "10.0.0.7:9092",
    "s3_endpoint": "http://10.0.0.7:9000",
    "spark_address": ADDRESS,
    "checkpoints": "s3a://lake/checkpoints",
}


@pytest.fixture
def s(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    monkeypatch.setenv("DAYBREAK_HOME", str(tmp_path))
    secrets.ensure(load())
    return load().model_copy(update={"spark_master": f"spark://{ADDRESS}:7077", **OURS})


@pytest.mark.parametrize(("cores", "shares"), [(1, "111"), (2, "111"), (3, "111"), (4, "211"), (8, "422"), (9, "422")])
def test_no_process_takes_all_cores(s: Settings, cores: int, shares: str) -> None:
    s = s.model_copy(update={"cluster_cores": cores})
    stream, night, gateway = (share(s, name) for name in ("stream", "night", "gateway"))
    most = (
        stream["spark.cores.max"],
        night["spark.cores.max"],
        gateway["spark.dynamicAllocation.maxExecutors"],
    )
    assert "".join(most) == shares
    assert gateway["spark.dynamicAllocation.minExecutors"] == "0"
    assert gateway["spark.executor.cores"] == "1"


def test_without_a_cluster_nothing_is_shared(s: Settings) -> None:
    s = s.model_copy(update={"spark_master": "local[2]"})
    assert share(s, "stream") == {}
    found = {name for name in spark_defaults(s) if name.startswith(("spark.authenticate", "spark.network"))}
    # Spark makes a secret of its own, which nobody else has.
    assert found == {"spark.authenticate"}
    refuse_unreachable(s.model_copy(update={"spark_address": "127.0.0.1"}))


def test_executors_have_the_options_of_our_drivers(s: Settings) -> None:
    own = spark_defaults(s)
    executors, driver = (own[f"spark.{one}.extraJavaOptions"].split() for one in ("executor", "driver"))
    assert set(LATER_C2.split()) < set(executors)
    # A driver of the night has C2 later by its own setting.
    assert {"-Duser.timezone=UTC", ENDS, "-XX:+UseSerialGC"} <= {*executors} & {*driver}


def test_yarn_counts_executors_and_makes_its_own_secret(s: Settings) -> None:
    s = s.model_copy(update={"spark_master": "yarn", "cluster_cores": 8})
    assert share(s, "stream")["spark.executor.instances"] == "4"
    assert "spark.authenticate.secret" not in spark_defaults(s)
    assert spark_defaults(s)["spark.authenticate"] == "true"


def test_everything_is_authenticated_and_encrypted_at_one_address(s: Settings) -> None:
    found = spark_defaults(s)
    assert (
        found["spark.authenticate"]
        == found["spark.network.crypto.enabled"]
        == found["spark.io.encryption.enabled"]
        == "true"
    )
    assert found["spark.network.crypto.saslFallback"] == "false"
    assert found["spark.authenticate.secret"] == s.spark_secret.get_secret_value() != ""
    assert found["spark.driver.host"] == found["spark.driver.bindAddress"] == ADDRESS


@pytest.mark.parametrize("address", ["0.0.0.0", "::", ""])
def test_drivers_never_listen_everywhere(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DAYBREAK_SPARK_ADDRESS", address)
    with pytest.raises(PermanentFailure, match=r"SPARK_ADDRESS is wrong: .*never listen on all interfaces"):
        load()


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"spark_address": "127.0.0.1"}, "set DAYBREAK_SPARK_ADDRESS"),
        ({"kafka_bootstrap": "10.0.0.7:9092,localhost:9092"}, "set DAYBREAK_KAFKA_BOOTSTRAP"),
        ({"s3_endpoint": "http://127.0.0.1:21002"}, "set DAYBREAK_S3_ENDPOINT"),
        ({"checkpoints": "file://HOME/checkpoints"}, "set DAYBREAK_CHECKPOINTS, e.g. to s3a://lake/checkpoints"),
    ],
)
def test_what_executors_elsewhere_cannot_reach_is_named(s: Settings, changed: dict[str, str], said: str) -> None:
    refuse_unreachable(s)
    changed = {name: value.replace("HOME", str(s.home)) for name, value in changed.items()}
    with pytest.raises(PermanentFailure, match=said):
        refuse_unreachable(s.model_copy(update=changed))
    # All of it is well on one machine.
    refuse_unreachable(s.model_copy(update=changed | {"spark_master": "spark://127.0.0.1:7077"}))


def test_without_the_secret_a_session_says_how_to_make_it(s: Settings) -> None:
    bare = Settings(home=s.home, spark_master=s.spark_master, **OURS)
    with pytest.raises(PermanentFailure, match="daybreak cluster-conf FOLDER"):
        refuse_unreachable(bare)
    refuse_unreachable(bare.model_copy(update={"spark_conf": {"spark.authenticate": "false"}}))


def test_the_masters_folder_is_its_owners_only(s: Settings, tmp_path: Path) -> None:
    folder = cluster_files.write(s, tmp_path / "conf")
    assert folder.stat().st_mode & 0o777 == 0o700
    assert {file.stat().st_mode & 0o777 for file in folder.iterdir()} == {0o600}
    lines = dict(line.split(" ", 1) for line in (folder / "spark-defaults.conf").read_text().splitlines())
    assert guarded(s).items() <= lines.items()
    assert spark_page.guarded(s).items() <= lines.items()


def test_a_folder_of_other_things_is_left_alone(s: Settings, tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("")
    mode = tmp_path.stat().st_mode
    with pytest.raises(PermanentFailure, match=r"has other files \(.*mine"):
        cluster_files.write(s, tmp_path)
    assert tmp_path.stat().st_mode == mode


def test_the_readme_names_settings_that_there_are() -> None:
    _, files, named = told()
    assert files == "daybreak cluster-conf /etc/daybreak-spark"
    assert {name.removeprefix("DAYBREAK_").lower() for name in named} <= Settings.model_fields.keys()
