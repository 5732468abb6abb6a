"""A workspace on a file and on a server, for every test that takes one."""

from __future__ import annotations

import pytest

from befit.storage.workspace import Workspace
from befit.testing.store import manifest
from store_places import BOTH, place


@pytest.fixture(params=BOTH)
def location(request, tmp_path):
    with place(request.param, tmp_path) as found:
        yield found


@pytest.fixture
def workspace(location):
    with Workspace.open(location) as opened:
        opened.create(manifest())
        yield opened
