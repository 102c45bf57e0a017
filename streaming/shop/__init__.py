"""The shop: the project that comes along. Its topics, views and examples, and what only a shop has: an order's state."""
