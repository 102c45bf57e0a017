"""Mistakes in the order service: what it accepts, what it remembers, and how it comes back.

Data flow: infra/shop/orders, streaming/shop/views/order_totals -> Mutation
Run: python -m tests.mutations orders
"""

from tests.mutations.mutation import Mutation

SERVICE = "tests/infra/test_order_service.py"

ORDERS = (
    Mutation(
        "orders: a command that is sent again is answered again",
        "infra/shop/orders/answers.py",
        "if command_id in state.answered:",
        "if False:",
        f"{SERVICE}::test_a_command_that_is_sent_again_has_one_answer",
    ),
    Mutation(
        "orders: the last piece is sold twice",
        "infra/shop/orders/decide.py",
        "state.stock.get(product, quantity) < quantity",
        "state.stock.get(product, quantity) < 0",
        f"{SERVICE}::test_of_two_who_buy_the_last_piece_one_gets_it",
    ),
    Mutation(
        "orders: a refund does not count",
        "infra/shop/orders/order.py",
        'refunded=known.refunded + payload["amount_cents"]',
        'refunded=payload["amount_cents"]',
        f"{SERVICE}::test_an_order_is_placed_added_to_paid_shipped_and_refunded",
    ),
    Mutation(
        "orders: an event may have the time of the one before",
        "infra/shop/orders/decide.py",
        "max(command.event_time, order.last_ms + 1)",
        "max(command.event_time, order.last_ms)",
        f"{SERVICE}::test_an_order_is_placed_added_to_paid_shipped_and_refunded",
    ),
    Mutation(
        "orders: true is a version",
        "infra/shop/orders/commands.py",
        "schema_version: int = Field(ge=1, le=1)",
        "schema_version: Literal[1]",
        "tests/streaming/test_order_contracts.py::test_service_and_stream_take_the_same_commands",
    ),
    Mutation(
        "orders: what is added to an order is an order",
        "streaming/shop/views/order_totals.py",
        'F.when(F.col("event_type") == "order_placed", 1)',
        'F.when(F.col("event_type") != "", 1)',
        "tests/streaming/test_views.py::test_a_minute_is_half_open_and_what_is_added_counts",
    ),
    Mutation(
        "orders: an instance that has begun says so with its first snapshot only",
        "infra/shop/orders/service.py",
        "snapshot.INSTANCE.encode(), self.name.encode()",
        'b"begun", self.name.encode()',
        "tests/infra/test_order_instance.py::test_one_that_another_has_followed_ends",
    ),
)
