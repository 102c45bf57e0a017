"""Which events were there before, with the same content or with another."""
