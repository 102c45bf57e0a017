"""Lineage in OpenLineage's form: jobs and their runs, the datasets that they read and write, and the way to who collects them."""
