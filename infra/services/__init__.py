"""The platform's processes: their definitions, start and stop, and health checks."""
