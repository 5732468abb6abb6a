"""Records that are written once, on every store."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from befit.errors import StoreError
from befit.storage.workspace import Workspace
from store_places import BOTH, place

AT = "2026-01-01T00:00:00+00:00"


@pytest.fixture(params=BOTH)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Workspace]:
    with place(request.param, tmp_path) as location, Workspace.open(location) as opened:
        yield opened


def test_the_same_record_written_twice_stands_once(store: Workspace) -> None:
    first, second = (
        store.records.write("load", {"rate": 3}, run_id="r-1", created_at=AT) for _ in range(2)
    )
    assert first == second
    assert store.records.all("load") == [first]


def test_records_are_numbered_as_they_came_and_read_newest_first(store: Workspace) -> None:
    written = [
        store.records.write("load", {"rate": rate}, run_id="r-1", created_at=AT)
        for rate in range(3)
    ]
    assert store.records.all("load") == written[::-1]
    assert store.records.find("load") == written[-1]
    with pytest.raises(StoreError, match="there is no record l-0"):
        store.records.read("l-0")
