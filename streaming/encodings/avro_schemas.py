"""The Avro schemas of a topic: one file per schema version, kept in the project and never changed.

Data flow: Contract -> <project>/schemas/<topic>.v<version>.avsc -> schemas by fingerprint
Run: python -m streaming.encodings.avro_schemas <topic>

Source: Avro 1.12, "Single-object encoding": a value starts with the CRC-64-AVRO fingerprint of its schema's canonical form.
"""

import json
import sys
from collections.abc import Mapping
from functools import cache
from typing import Any

from fastavro.schema import fingerprint, parse_schema, to_parsing_canonical_form
from pyspark.sql.types import ArrayType, BooleanType, DataType, IntegerType, LongType, StringType, StructType

from infra.failures import reported
from streaming.contracts.contract import ENVELOPE, Contract
from streaming.project import contracts, schemas

Schema = dict[str, Any]
PRIMITIVES = {StringType: "string", LongType: "long", IntegerType: "int", BooleanType: "boolean"}


def schema_of(contract: Contract) -> Schema:
    """The contract as an Avro record, named like its topic.

    A field that every event type requires is never null, nor is one with a default. Any other field may be null, and is null
    by default. A nested record has all its fields. Raises ValueError, with the field's name, for a type that Avro lacks.
    """
    always = {*ENVELOPE.fieldNames(), *set.intersection(*map(set, contract.required.values()))}
    fields: list[Schema] = []
    for field in contract.schema:
        kind = _type(field.name, field.dataType)
        if field.name in always:
            fields.append({"name": field.name, "type": kind})
        elif field.name in contract.defaults:
            fields.append({"name": field.name, "type": kind, "default": contract.defaults[field.name]})
        else:
            fields.append({"name": field.name, "type": ["null", kind], "default": None})
    return {"type": "record", "name": contract.topic, "namespace": "daybreak", "fields": fields}


def _type(name: str, kind: DataType) -> Any:
    if isinstance(kind, ArrayType):
        return {"type": "array", "items": _type(name, kind.elementType)}
    if isinstance(kind, StructType):
        own = [{"name": field.name, "type": _type(f"{name}_{field.name}", field.dataType)} for field in kind]
        return {"type": "record", "name": f"{name}_item", "fields": own}
    if type(kind) not in PRIMITIVES:
        raise ValueError(f"`{name}` is a {kind.simpleString()}, for which Daybreak writes no Avro: use encoding json")
    return PRIMITIVES[type(kind)]


@cache
def texts(topic: str) -> Mapping[int, str]:
    """The stored schemas of a topic as JSON, by schema version."""
    files = {int(file.name.split(".v")[1].removesuffix(".avsc")): file for file in schemas().glob(f"{topic}.v*.avsc")}
    return {version: files[version].read_text() for version in sorted(files)}


@cache
def writers(topic: str) -> Mapping[int, tuple[bytes, Any]]:
    """The stored schemas of a topic by schema version, each with the fingerprint that stands in a value's header; parsed."""
    schemas = {version: json.loads(text) for version, text in texts(topic).items()}
    return {version: (mark(schema), parse_schema(schema)) for version, schema in schemas.items()}


@cache
def by_fingerprint(topic: str) -> Mapping[bytes, Any]:
    """The same schemas by their fingerprints."""
    return dict(writers(topic).values())


def mark(schema: Schema) -> bytes:
    """A schema's CRC-64-AVRO fingerprint, least significant byte first."""
    return bytes.fromhex(fingerprint(to_parsing_canonical_form(schema), "CRC-64-AVRO"))


def write_missing(contract: Contract) -> list[str]:
    """Write the schemas of the contract's versions that are not stored yet; returns the names of the files."""
    written = []
    for version in contract.versions:
        file = schemas() / f"{contract.topic}.v{version}.avsc"
        if not file.exists():
            file.parent.mkdir(exist_ok=True)
            file.write_text(json.dumps(schema_of(contract.at(version)), indent=2) + "\n")
            written.append(file.name)
    return written


def differences(contract: Contract) -> list[str]:
    """What the contract's versions say otherwise than their stored schemas, by field; none if all agree."""
    found = []
    for version in contract.versions:
        if version not in texts(contract.topic):
            found.append(
                f"{contract.topic}.v{version}.avsc is missing: run python -m streaming.encodings.avro_schemas {contract.topic}"
            )
            continue
        now, then = (
            {field["name"]: field for field in schema["fields"]}
            for schema in (schema_of(contract.at(version)), json.loads(texts(contract.topic)[version]))
        )
        for name in sorted({*now, *then}):
            if now.get(name) != then.get(name):
                found.append(
                    f"{contract.topic}, version {version}: `{name}` was {then.get(name)} and is {now.get(name)}"
                )
    return found


if __name__ == "__main__":
    with reported():
        for name in sys.argv[1:] or contracts():
            print(*write_missing(contracts()[name]), sep="\n")
