"""What a command needs that is about the shop's database: that the option is on.

Data flow: Settings -> the same, or a sentence
Run: daybreak shop-db check
"""

from infra.failures import PermanentFailure
from infra.settings import Settings, settings
from infra.shop.options import SHOP_DB


def shop_db_on() -> Settings:
    """The settings. Raises PermanentFailure with what to do if the option shop-db is off."""
    if not settings().has(SHOP_DB):
        raise PermanentFailure("the shop's database is off; turn it on: daybreak up --with shop-db")
    return settings()
