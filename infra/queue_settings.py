"""Settings of the queue broker (option queue).

Data flow: DAYBREAK_QUEUE_... -> Settings
Run: daybreak up --with queue
"""

from pydantic import Field, SecretStr

from infra.port_settings import Ports


class QueueSettings(Ports):
    """What the broker may take of the machine, and how often it tries."""

    queue_password: SecretStr = Field(SecretStr(""), description="Password of the queue broker's one user; generated")
    queue_memory: str = Field("256m", description="Heap of the queue broker")
    queue_address_mb: int = Field(
        8,
        ge=1,
        description="Waiting messages (MB) of one queue in the broker's memory; what is beyond lies on disk only",
    )
    queue_disk_mb: int = Field(
        4096, ge=16, description="Disk (MB) that one queue's waiting messages may take; a full queue refuses more"
    )
    queue_free_mb: int = Field(
        1024, ge=16, description="With less disk (MB) free than this the queue broker lets all senders wait"
    )
    queue_attempts: int = Field(
        3, ge=1, description="Deliveries of a message that is not acknowledged; then it goes to its dead-letter queue"
    )
