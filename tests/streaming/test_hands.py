"""Views are dealt out to the stores so that none has much more to do than another, and those of one kind of parts together."""

from typing import Any

import pytest

from streaming.state import stores
from streaming.state.kinds import kinds
from streaming.state.stores import hands
from streaming.views import VIEWS
from streaming.views.law import Additive


@pytest.mark.parametrize("cores", [1, 2, 3, 4])
def test_none_has_a_stream_more_to_read_than_another(cores: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stores, "threads", lambda session: cores)
    session: Any = None
    dealt = hands(session)
    assert len(dealt) == cores
    assert sorted(view.name for some in dealt for view in some) == sorted(VIEWS)
    for kind in kinds(tuple(VIEWS.values())):
        (own,) = [some for some in dealt if kind.views[0] in some]
        assert all(view in own for view in kind.views)
    by_parts = [sum(len(view.streams) for view in some if not isinstance(view.law, Additive)) for some in dealt]
    assert max(by_parts) - min(by_parts) <= 1
