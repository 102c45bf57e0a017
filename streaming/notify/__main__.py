"""What goes out, as a program (option notify).

Data flow: signals -> Notify, until one says stop
Run: python -m streaming.notify
"""

import asyncio
import signal

from infra import logs
from infra.failures import reported
from infra.kafka.login import act_as
from infra.kafka_users import User
from infra.settings import settings
from streaming.notify.program import Notify


async def main() -> None:
    """Serve all targets until a signal says stop."""
    over = asyncio.Event()
    for one in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(one, over.set)
    await Notify(settings(), over).run()


if __name__ == "__main__":
    with reported():
        logs.begin(settings().log_format)
        act_as(User.NOTIFY)
        asyncio.run(main())
