"""The shop on this floor: what is known of an order, the copies of its database, gold as one of them. No neighbour imports it."""
