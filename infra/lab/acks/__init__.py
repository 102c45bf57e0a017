"""The lab of acknowledgements: what an acknowledged record is worth when the broker that gave it dies."""
