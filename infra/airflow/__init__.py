"""Airflow's API for the commands: backfills, their runs, and approval requests."""
