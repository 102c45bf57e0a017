"""The table of settings in infra/README.md is what the settings say of themselves."""

from infra.settings import Settings
from infra.settings_table import PAGE, page, table


def test_the_page_has_the_settings_of_today() -> None:
    assert page(PAGE.read_text()) == PAGE.read_text(), "run make catalog"


def test_every_described_setting_is_in_the_table() -> None:
    described = {name.upper() for name, field in Settings.model_fields.items() if field.description}
    assert {name for name in described if f"| `{name}` |" in table()} == described


def test_no_default_shows_a_path_or_a_secret() -> None:
    assert "SecretStr" not in table()
    assert str(PAGE.parent.parent) not in table()
