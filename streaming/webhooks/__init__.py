"""Webhooks in: `POST /topics/<topic>` with a signed event, answered when all in-sync replicas have it (option webhooks)."""
