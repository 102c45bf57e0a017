"""Airflow's answers as values of ours.

Data flow: responses of Airflow's Python client -> Run, Task, ApprovalRequest
Run: pytest tests/infra/test_airflow.py
"""

from datetime import date, timedelta

from airflow_client.client.models import DAGRunResponse, DagRunType, HITLDetail, TaskInstanceResponse

from infra.airflow.runs import ApprovalRequest, Run, Task


def as_task(task: TaskInstanceResponse) -> Task:
    """A task as it is now."""
    state = task.state.value if task.state else None
    return Task(task.task_id, state, task.try_number, task.map_index, task.rendered_map_index)


def as_run(run: DAGRunResponse, tasks: tuple[Task, ...]) -> Run:
    """A run with its tasks."""
    return Run(run.dag_run_id, _day(run), run.state.value, tasks, run.duration if run.end_date else None)


def as_request(found: HITLDetail) -> ApprovalRequest:
    """An approval request."""
    task = found.task_instance
    return ApprovalRequest(
        task.dag_run_id,
        task.task_id,
        task.map_index,
        task.rendered_map_index or "",
        found.subject,
        found.body or "",
        tuple(found.options),
    )


def _day(run: DAGRunResponse) -> date:
    """As dags/day_of_run.py: by hand the logical date's, or the day before; else that of the data interval."""
    if run.run_type in (DagRunType.SCHEDULED, DagRunType.BACKFILL) and run.data_interval_start:
        return run.data_interval_start.date()
    return run.logical_date.date() if run.logical_date else run.run_after.date() - timedelta(days=1)
