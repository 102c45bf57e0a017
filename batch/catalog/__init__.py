"""Catalog: what follows from the registries of views, topics, tables and settings, as files that are committed."""
