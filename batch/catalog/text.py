"""Lines of dbt's YAML and SQL files.

Data flow: names, descriptions, keys -> text
Run: pytest tests/batch/test_catalog.py
"""

import json
from collections.abc import Iterable, Mapping, Sequence

from pyspark.sql.types import StructField

from infra.lake.columns import comment

MADE_YAML = "# made by make catalog, from {origin}\nversion: 2\n"
MADE_SQL = "{{#- made by make catalog, from {origin} -#}}\n"

Column = tuple[str, str]
"""A column's name and what it means."""


def quoted(text: str) -> str:
    """Text as a YAML (and JSON) string."""
    return json.dumps(text, ensure_ascii=False)


def columns(found: Iterable[StructField]) -> list[Column]:
    """Name and comment of fields. Raises ValueError for one without a comment."""
    listed = [(field.name, comment(field)) for field in found]
    if silent := [name for name, meaning in listed if not meaning]:
        raise ValueError(
            f"no comment says what {', '.join(silent)} means: give each column a comment in its declaration"
        )
    return listed


def described(found: Iterable[Column], indent: int) -> list[str]:
    """`columns:` with a line per column."""
    pad = " " * indent
    return [f"{pad}columns:", *(f"{pad}  - {{name: {name}, description: {quoted(text)}}}" for name, text in found)]


def model(name: str, description: str, found: Iterable[Column], more: Iterable[str]) -> list[str]:
    """One model of a `models:` list. `more`: lines that stand between its description and its columns."""
    return [
        f"  - name: {name}",
        f"    description: {quoted(description)}",
        *(f"    {line}" for line in more),
        *described(found, 4),
    ]


def keyed(key: Sequence[str], present: Sequence[str]) -> list[str]:
    """The `config:` lines from which the dbt tests of keys read a model's key and its non-null columns."""
    return ["config:", f"  meta: {{key: [{', '.join(key)}], present: [{', '.join(present)}]}}"]


def models_file(origin: str, found: Iterable[list[str]]) -> str:
    """A YAML file of models, separated by blank lines."""
    return MADE_YAML.format(origin=origin) + "\nmodels:\n" + "\n\n".join("\n".join(lines) for lines in found) + "\n"


def sql_file(origin: str, call: str) -> str:
    """A model that is one call of a macro."""
    return MADE_SQL.format(origin=origin) + f"{{{{ {call} }}}}\n"


def macro_list(name: str, found: Sequence[str]) -> str:
    """A macro that gives a list of names."""
    return f"{{% macro {name}() %}}\n{{{{ return({json.dumps(list(found))}) }}}}\n{{% endmacro %}}\n"


def macro_file(origin: str, what: str, name: str, data: Mapping[str, object]) -> str:
    """A macro that gives data to other macros."""
    literal = json.dumps(data, indent=4, ensure_ascii=False)
    head = f"{{#- made by make catalog, from {origin}: {what} -#}}\n"
    return head + f"{{% macro {name}() %}}\n{{{{ return({literal}) }}}}\n{{% endmacro %}}\n"
