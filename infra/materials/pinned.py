"""The components of the committed lists: jars and Go modules, as values of the CycloneDX library.

Data flow: infra/jars.lock, infra/setup/go/*/{modules.txt,go.sum} -> Component
Run: make sbom
"""

from collections.abc import Iterable, Iterator
from pathlib import Path

from cyclonedx.factory.license import LicenseFactory
from cyclonedx.model import HashAlgorithm, HashType, Property
from cyclonedx.model.component import Component, ComponentType
from packageurl import PackageURL

from infra.materials.licences import UNKNOWN
from infra.setup import pins
from infra.setup.go_build import LOCKS

FACTORY = LicenseFactory()


def jars() -> Iterator[Component]:
    """Every file that set-up fetches from Maven's repository, once, with the configurations that it is for."""
    found: dict[str, Component] = {}
    for configuration in pins.configurations():
        for pin in pins.pinned(configuration).values():
            group, name, version = pin.module.split(":")
            one = found.setdefault(
                pin.file,
                Component(
                    type=ComponentType.LIBRARY,
                    group=group,
                    name=name,
                    version=version,
                    bom_ref=pin.file,
                    purl=PackageURL("maven", group, name, version),
                    hashes=[HashType(alg=HashAlgorithm.SHA_256, content=pin.sha256)],
                    licenses=[FACTORY.make_from_string(said) for said in pin.licences],
                ),
            )
            one.properties.add(Property(name="daybreak:configuration", value=configuration))
    yield from found.values()


def sums(folder: Path) -> dict[tuple[str, str], str]:
    """Go's hash of each module in a folder's go.sum, by path and version."""
    lines = (line.split() for line in (folder / "go.sum").read_text().splitlines())
    return {(path, version): value for path, version, value in lines}


def modules(folders: Iterable[Path]) -> Iterator[Component]:
    """Every Go module that a program is built of, with the programs; its hash is the one of go.sum."""
    found: dict[str, Component] = {}
    for folder in folders:
        hashes = sums(folder)
        for line in (folder / "modules.txt").read_text().splitlines():
            path, version, licence = line.split(" ", 2)
            namespace, _, name = path.rpartition("/")
            one = found.setdefault(
                f"{path}@{version}",
                Component(
                    type=ComponentType.LIBRARY,
                    name=path,
                    version=version,
                    bom_ref=f"{path}@{version}",
                    purl=PackageURL("golang", namespace, name, version),
                    licenses=[] if licence == UNKNOWN else [FACTORY.make_from_string(licence)],
                    properties=[Property(name="daybreak:go.sum", value=hashes[path, version])],
                ),
            )
            one.properties.add(Property(name="daybreak:program", value=folder.name))
    yield from found.values()


def go_folders() -> list[Path]:
    """The folders of all programs in Go."""
    return sorted(folder for folder in LOCKS.iterdir() if folder.is_dir())
