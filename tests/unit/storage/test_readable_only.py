"""A workspace that may be read and not written: looking works, writing says why it does not."""

from __future__ import annotations

import os

import pytest

from befit.errors import StoreFullError
from befit.storage.workspace import Workspace
from befit.testing.store import landed, manifest


@pytest.fixture
def folder(tmp_path, monkeypatch):
    with Workspace.open(tmp_path) as store:
        store.create(manifest())
        store.commit("r-0001", [landed("s1")])
    asked = os.access
    # As on a medium mounted read-only; the tests may run as a user whom no rights stop.
    monkeypatch.setattr(os, "access", lambda path, mode: mode != os.W_OK and asked(path, mode))
    return tmp_path


def files(folder):
    return {path.name: path.stat().st_mtime_ns for path in folder.iterdir()}


def test_a_workspace_without_write_access_can_be_read_and_stays_as_it_is(folder):
    before = files(folder)
    with Workspace.open(folder, create=False) as store:
        assert store.find_run().id == "r-0001"
        assert [fact.passed for fact in store.facts("r-0001")] == [1.0]
        assert store.trial(landed("s1").slot.key.id) is not None
    assert files(folder) == before


def test_writing_to_it_is_one_error_that_says_what_to_check(folder):
    with Workspace.open(folder) as store, pytest.raises(StoreFullError) as caught:
        store.finish("r-0001", "complete")
    assert "may not be written to" in caught.value.what
    assert "rights of the folder" in caught.value.do
    assert caught.value.exit_code == 5
