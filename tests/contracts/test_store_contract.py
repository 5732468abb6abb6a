"""The workspace keeps the contract of a store, on a file and on a server."""

from __future__ import annotations

from contextlib import ExitStack

import pytest

from befit.storage.workspace import Workspace
from befit.testing.store import StoreContract
from store_places import BOTH, place


@pytest.mark.parametrize("kind", BOTH)
class TestWorkspace(StoreContract):
    @pytest.fixture(autouse=True)
    def _place(self, kind, tmp_path):
        with ExitStack() as stack:
            location = stack.enter_context(place(kind, tmp_path))
            self.open = lambda: stack.enter_context(Workspace.open(location))
            yield
