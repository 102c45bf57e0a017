"""Airflow's own roles, but that an operator deletes nothing, and writes nothing that a task has said.

Data flow: a user, what he asks for -> may he? (Airflow's API server)
Run: daybreak connect airflow --as operator

With XCom an answer to an approval request could be written in another person's name (dags/approval.py).
"""

from airflow.api_fastapi.auth.managers.base_auth_manager import ResourceMethod
from airflow.api_fastapi.auth.managers.models.resource_details import DagAccessEntity, DagDetails
from airflow.api_fastapi.auth.managers.simple.simple_auth_manager import SimpleAuthManager
from airflow.api_fastapi.auth.managers.simple.user import SimpleAuthManagerUser


class Roles(SimpleAuthManager):
    """Airflow's `core.auth_manager`."""

    def is_authorized_dag(
        self,
        *,
        method: ResourceMethod,
        user: SimpleAuthManagerUser,
        access_entity: DagAccessEntity | None = None,
        details: DagDetails | None = None,
    ) -> bool:
        """What is deleted is gone, runs with their notes and answers too: that is an admin's."""
        is_an_admins = method == "DELETE" or (access_entity is DagAccessEntity.XCOM and method != "GET")
        if is_an_admins and not self._is_admin(user):
            return False
        return super().is_authorized_dag(method=method, user=user, access_entity=access_entity, details=details)
