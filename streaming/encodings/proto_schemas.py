"""The Protobuf message of a topic, from its contract: for the decoder as a class, for producers as a `.proto` file.

Data flow: Contract -> message class; <project>/schemas/<topic>.proto, which producers compile
Run: python -m streaming.encodings.proto_schemas <topic>

One message serves all schema versions, as Protobuf means it: the fields of version 1 have the numbers 1, 2, 3 in the contract's
order, and each later version's fields the next ones. So a later version changes no number, and the file only grows.
Source: Protocol Buffers, "Language Guide (proto 3)": updating a message type, field presence.
"""

import sys
from collections.abc import Iterator
from functools import cache
from typing import Any

from google.protobuf.descriptor_pb2 import DescriptorProto, FieldDescriptorProto, FileDescriptorProto
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.message_factory import GetMessageClass
from pyspark.sql.types import (
    ArrayType,
    BooleanType,
    DataType,
    IntegerType,
    LongType,
    StringType,
    StructField,
    StructType,
)

from infra.failures import reported
from streaming.contracts.contract import Contract
from streaming.project import contracts, schemas

PRIMITIVES = {StringType: "string", LongType: "int64", IntegerType: "int32", BooleanType: "bool"}
PACKAGE = "daybreak"


def fields(contract: Contract) -> StructType:
    """The fields in the order of their numbers: those of version 1, then what each later version adds."""
    first = contract.at(1).schema
    later = [name for one in contract.later for name in one.adds]
    return StructType([*first, *(contract.schema[name] for name in later)])


@cache
def message_class(topic: str) -> Any:
    """The class of the topic's message."""
    contract = contracts()[topic]
    file = FileDescriptorProto(name=f"{topic}.proto", package=PACKAGE, syntax="proto3")
    _describe(file.message_type.add(name=_name(topic)), fields(contract))
    pool = DescriptorPool()
    pool.Add(file)
    return GetMessageClass(pool.FindMessageTypeByName(f"{PACKAGE}.{_name(topic)}"))


def proto(contract: Contract) -> str:
    """The same message as the text of a `.proto` file. Raises ValueError, with the field's name, for a type that it lacks."""
    head = f'// {contract.description}\nsyntax = "proto3";\n\npackage {PACKAGE};\n'
    return "\n".join([head, *_lines(_name(contract.topic), fields(contract), "")]) + "\n"


def _describe(message: DescriptorProto, own: StructType) -> None:
    for number, field in enumerate(own, 1):
        kind, repeated = _unpacked(field)
        label = FieldDescriptorProto.LABEL_REPEATED if repeated else FieldDescriptorProto.LABEL_OPTIONAL
        made = message.field.add(name=field.name, number=number, label=label)
        if isinstance(kind, StructType):
            made.type, made.type_name = FieldDescriptorProto.TYPE_MESSAGE, _name(field.name)
            _describe(message.nested_type.add(name=_name(field.name)), kind)
        else:
            made.type = getattr(FieldDescriptorProto, f"TYPE_{_type(field.name, kind).upper()}")
            if not repeated:
                # A field of its own that is 0 or empty is told from one that was left out. proto3 writes that as a choice of one.
                made.proto3_optional, made.oneof_index = True, len(message.oneof_decl)
                message.oneof_decl.add(name=f"_{field.name}")


def _lines(name: str, own: StructType, indent: str) -> Iterator[str]:
    yield f"{indent}message {name} {{"
    for field in own:
        kind, _ = _unpacked(field)
        if isinstance(kind, StructType):
            yield from _lines(_name(field.name), kind, f"{indent}  ")
    for number, field in enumerate(own, 1):
        kind, repeated = _unpacked(field)
        written = _name(field.name) if isinstance(kind, StructType) else _type(field.name, kind)
        yield f"{indent}  {'repeated' if repeated else 'optional'} {written} {field.name} = {number};"
    yield f"{indent}}}"


def _unpacked(field: StructField) -> tuple[DataType, bool]:
    """A field's type, or that of its elements; and whether it is a list."""
    kind = field.dataType
    return (kind.elementType, True) if isinstance(kind, ArrayType) else (kind, False)


def _type(name: str, kind: DataType) -> str:
    if type(kind) not in PRIMITIVES:
        raise ValueError(
            f"`{name}` is a {kind.simpleString()}, for which Daybreak writes no Protobuf: use encoding json"
        )
    return PRIMITIVES[type(kind)]


def _name(words: str) -> str:
    """A topic's or a field's name as that of a message: saved_searches -> SavedSearches."""
    return "".join(word.capitalize() for word in words.replace("-", "_").replace(".", "_").split("_"))


def stored(topic: str) -> str:
    """The topic's stored file; empty if there is none."""
    file = schemas() / f"{topic}.proto"
    return file.read_text() if file.exists() else ""


def changed(contract: Contract) -> list[str]:
    """The stored fields that the contract no longer has so: messages that were written with them would be read wrongly."""
    now = proto(contract).splitlines()
    return [
        f"{contract.topic}.proto: `{line.strip()}` has changed" for line in _numbered(contract.topic) if line not in now
    ]


def _numbered(topic: str) -> list[str]:
    return [line for line in stored(topic).splitlines() if " = " in line and line.startswith(" ")]


def write(contract: Contract) -> str:
    """Write the topic's file, and return its name. Raises ValueError if a stored field has changed: fields are only added."""
    if found := changed(contract):
        raise ValueError("; ".join(found))
    file = schemas() / f"{contract.topic}.proto"
    file.parent.mkdir(exist_ok=True)
    file.write_text(proto(contract))
    return f"{contract.topic}.proto"


if __name__ == "__main__":
    with reported():
        for name in sys.argv[1:]:
            print(write(contracts()[name]))
