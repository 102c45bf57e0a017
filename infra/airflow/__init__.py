"""Airflow as the commands need it: backfills and their runs, and the questions that wait for a person."""
