"""Catalog: generates the committed files that follow from the registries of views, topics, tables and settings."""
