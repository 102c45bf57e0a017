"""The rules of the topics whose payload is flat, in SQL of DuckDB's: written from the contracts' sentences, not from their code.

Data flow: Topic -> sql/topic.sql -> the statement that makes a topic's table of valid events, duplicates included
Run: pytest tests/bench/oracle
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from string import Template

TEMPLATE = Template((Path(__file__).parent / "sql" / "topic.sql").read_text())
ENVELOPE = ("event_id", "event_type", "event_time", "schema_version")
TEXT, NUMBER, TEXTS = '"VARCHAR"', '"BIGINT"', '["VARCHAR"]'
"""Types of json_transform."""
IS_TYPE = {TEXT: "= 'VARCHAR'", NUMBER: "IN ('UBIGINT', 'BIGINT')", TEXTS: "= 'ARRAY'"}
"""What json_type says of a value of the type."""


@dataclass(frozen=True)
class Topic:
    """A topic: its fields with their types, the field that is its key, the fields that each event type requires.

    `rules`: conditions on a field that is there. `always`: conditions on any event; `elements` are a list's values as JSON.
    """

    fields: Mapping[str, str]
    key: str
    required: Mapping[str, tuple[str, ...]]
    rules: Mapping[str, str]
    always: tuple[str, ...] = ()

    def sql(self, name: str) -> str:
        """The statement that makes the table `name`."""
        lists = [field for field, kind in self.fields.items() if kind == TEXTS]
        places = {field: place for place, field in enumerate(self.fields, len(ENVELOPE) + 1)}
        of_kind = [
            " AND ".join((f"event.event_type = '{kind}'", *(f"has_{field}" for field in fields)))
            for kind, fields in self.required.items()
        ]
        conditions = [
            f"key = event.{self.key}",
            f"(({') OR ('.join(of_kind)}))",
            *(f"(NOT has_{field} OR types[{places[field]}] {IS_TYPE[kind]})" for field, kind in self.fields.items()),
            *(f"(NOT has_{field} OR {rule})" for field, rule in self.rules.items()),
            *self.always,
        ]
        return TEMPLATE.substitute(
            topic=name,
            paths=", ".join(f"'$.{field}'" for field in (*ENVELOPE, *self.fields)),
            elements="".join(f"json_extract(doc, '$.{field}[*]') AS elements," for field in lists),
            types=", ".join(f'"{field}": {kind}' for field, kind in self.fields.items()),
            present=",\n".join(
                f"coalesce(types[{at}], 'NULL') <> 'NULL' AS has_{field}" for field, at in places.items()
            ),
            payload=", ".join(f"{field} := event.{field}" for field in self.fields),
            names=", ".join(f"'{field}'" for field in (*ENVELOPE, *self.fields)),
            conditions="\n    AND ".join(conditions),
        )


def like(field: str, pattern: str) -> str:
    return f"regexp_full_match(event.{field}, '{pattern}')"


CUSTOMER, PRODUCT, SESSION = "c-[0-9]{1,12}", "p-[0-9]{1,12}", "v-[0-9a-f]{8,32}"
LISTED = ("product_id", "title", "brand", "price_cents")
REGISTERED = ("customer_id", "name", "region")
PAID = ("payment_id", "order_id", "card_id", "amount_cents")

TOPICS = {
    "payments": Topic(
        {"payment_id": TEXT, "order_id": TEXT, "card_id": TEXT, "amount_cents": NUMBER},
        "order_id",
        dict.fromkeys(("payment_captured", "payment_failed", "payment_refunded"), PAID),
        {
            "payment_id": like("payment_id", "pay-[0-9a-f]{8,32}"),
            "order_id": like("order_id", "o-[0-9a-f]{8,32}"),
            "card_id": like("card_id", "card-[0-9]{1,12}"),
            "amount_cents": "event.amount_cents BETWEEN 1 AND 10000000000",
        },
    ),
    "searches": Topic(
        {"session_id": TEXT, "customer_id": TEXT, "query": TEXT, "product_ids": TEXTS},
        "session_id",
        {"search_made": ("session_id", "customer_id", "query", "product_ids")},
        {
            "session_id": like("session_id", SESSION),
            "customer_id": like("customer_id", CUSTOMER),
            "query": "length(event.query) BETWEEN 1 AND 200",
        },
        (
            "len(elements) <= 100",
            "list_bool_and([true] || list_transform(elements, lambda element: json_type(element) = 'VARCHAR'))",
            "list_bool_and([true] || list_transform("
            f"event.product_ids, lambda product: regexp_full_match(product, '{PRODUCT}')))",
        ),
    ),
    "clicks": Topic(
        {"session_id": TEXT, "customer_id": TEXT, "product_id": TEXT, "position": NUMBER},
        "session_id",
        {"product_clicked": ("session_id", "customer_id", "product_id", "position")},
        {
            "session_id": like("session_id", SESSION),
            "customer_id": like("customer_id", CUSTOMER),
            "product_id": like("product_id", PRODUCT),
            "position": "event.position BETWEEN 1 AND 100",
        },
    ),
    "products": Topic(
        {"product_id": TEXT, "title": TEXT, "brand": TEXT, "price_cents": NUMBER},
        "product_id",
        {"product_listed": LISTED, "product_changed": LISTED, "product_withdrawn": ("product_id",)},
        {
            "product_id": like("product_id", PRODUCT),
            "title": "length(event.title) BETWEEN 1 AND 200",
            "brand": "length(event.brand) BETWEEN 1 AND 100",
            "price_cents": "event.price_cents BETWEEN 0 AND 100000000",
        },
    ),
    "saved_searches": Topic(
        {"search_id": TEXT, "customer_id": TEXT, "words": TEXT},
        "search_id",
        {"search_saved": ("search_id", "customer_id", "words"), "search_removed": ("search_id", "customer_id")},
        {
            "search_id": like("search_id", "s-[0-9a-f]{8,32}"),
            "customer_id": like("customer_id", CUSTOMER),
            "words": "length(event.words) BETWEEN 1 AND 200",
        },
    ),
    "customers": Topic(
        {"customer_id": TEXT, "name": TEXT, "region": TEXT},
        "customer_id",
        {"customer_registered": REGISTERED, "customer_moved": REGISTERED, "customer_left": ("customer_id",)},
        {
            "customer_id": like("customer_id", CUSTOMER),
            "name": "length(event.name) BETWEEN 1 AND 200",
            "region": like("region", "[a-z]{2,20}(?:-[a-z]{2,20})?"),
        },
    ),
}
"""By name; orders, which have a list of structs and a second version, have a file of their own."""
