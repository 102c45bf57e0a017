"""The chart for Kubernetes as far as it can be held without one: lint, templates, and schemas of Kubernetes' objects."""

import json
import re
import subprocess
from pathlib import Path

import pytest
import yaml

from infra.settings import ROOT, Settings
from infra.setup.helm import HELM, KUBECONFORM, KUBERNETES, SCHEMAS, STEP

pytestmark = [
    pytest.mark.soak,
    pytest.mark.skipif(not STEP.complete(), reason="helm and kubeconform are not built: make helm"),
]

CHART = ROOT / "infra" / "helm" / "daybreak"
VALUES = {
    "image": "registry.example/daybreak:1",
    "kafka": {"bootstrap": "kafka:9092", "client": {"security.protocol": "SSL"}},
    "s3": {"endpoint": "https://s3.example", "bucket": "lake"},
    "postgres": {"dsn": "host=postgres user=daybreak"},
    "secrets": "daybreak-secrets",
    "sparkSecret": "daybreak-spark",
    "sparkConf": {"spark.executor.memory": "3g"},
    "settings": {"DAYBREAK_TRIGGER_SECONDS": "2"},
}


def helm(*arguments: str, **values: object) -> subprocess.CompletedProcess[str]:
    given = json.dumps(VALUES | values)
    command = [str(HELM), *arguments, str(CHART), "--values", "-"]
    return subprocess.run(command, input=given, capture_output=True, text=True)


@pytest.fixture(scope="module")
def rendered() -> str:
    made = helm("template", "one")
    assert made.returncode == 0, made.stderr
    return made.stdout


def conform(text: str, folder: Path) -> subprocess.CompletedProcess[str]:
    file = folder / "chart.yaml"
    file.write_text(text)
    schemas = f"{SCHEMAS}/{{{{.ResourceKind}}}}{{{{.KindSuffix}}}}.json"
    command = [str(KUBECONFORM), "-strict", "-summary", "-kubernetes-version", KUBERNETES, "-schema-location", schemas]
    return subprocess.run([*command, str(file)], capture_output=True, text=True)


def test_it_passes_lint() -> None:
    said = helm("lint", "--strict")
    assert said.returncode == 0, said.stdout + said.stderr


@pytest.mark.parametrize("name", ["image", "secrets", "sparkSecret"])
def test_a_value_without_which_nothing_runs_is_asked_for(name: str) -> None:
    said = helm("template", "one", **{name: ""})
    assert said.returncode != 0
    assert f"/{name}" in said.stderr


def test_every_object_is_one_of_kubernetes(rendered: str, tmp_path: Path) -> None:
    said = conform(rendered, tmp_path)
    assert said.returncode == 0, said.stdout
    assert "Valid: 9, Invalid: 0, Errors: 0, Skipped: 0" in said.stdout


def test_a_field_that_there_is_not_is_found(rendered: str, tmp_path: Path) -> None:
    said = conform(rendered.replace("replicas: 1", "replica: 1"), tmp_path)
    assert said.returncode == 1
    assert "Invalid: 2" in said.stdout


def test_every_setting_of_a_driver_is_one_of_ours(rendered: str) -> None:
    objects = [one for one in yaml.safe_load_all(rendered) if one]
    named = {name.lower() for name in re.findall(r"name: DAYBREAK_(\w+)", rendered)}
    assert named >= {"spark_address", "spark_master", "kafka_bootstrap", "s3_endpoint", "checkpoints"}
    assert named <= Settings.model_fields.keys()
    (stream,) = (one for one in objects if one["kind"] == "StatefulSet" and one["metadata"]["name"] == "one-stream")
    (driver,) = stream["spec"]["template"]["spec"]["containers"]
    env = {one["name"]: one.get("value") for one in driver["env"]}
    conf = json.loads(env["DAYBREAK_SPARK_CONF"])
    assert conf["spark.executor.memory"] == "3g"
    assert conf["spark.authenticate.secret.file"].startswith(conf["spark.kubernetes.executor.secrets.daybreak-spark"])
    assert json.loads(env["DAYBREAK_KAFKA_CLIENT"]) == VALUES["kafka"]["client"]
