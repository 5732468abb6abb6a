from __future__ import annotations

import re

import pytest

from befit.errors import UsageError
from befit.storage.workspace import Workspace
from befit.testing.store import manifest


def test_a_new_run_id_is_short_and_free(workspace):
    ids = {workspace.new_run_id() for _ in range(50)}
    assert len(ids) > 40
    assert all(re.fullmatch(r"r-[0-9a-f]{4,}", run_id) for run_id in ids)
    assert "r-0001" not in ids


def test_latest_is_the_run_created_last(workspace):
    workspace.create(manifest("r-ab12"))
    assert workspace.find_run().id == "r-ab12"
    assert workspace.find_run("latest").id == "r-ab12"


@pytest.mark.parametrize("words", ["r-ab12", "ab12", "r-ab1", "AB1"])
def test_a_unique_beginning_finds_its_run(workspace, words):
    workspace.create(manifest("r-ab12"))
    workspace.create(manifest("r-ab34"))
    assert workspace.find_run(words).id == "r-ab12"


def test_a_whole_id_is_found_even_when_it_is_the_beginning_of_another(workspace):
    workspace.create(manifest("r-ab12"))
    workspace.create(manifest("r-ab123"))
    assert workspace.find_run("r-ab12").id == "r-ab12"


def test_an_ambiguous_beginning_is_refused_with_the_runs_it_could_mean(workspace):
    workspace.create(manifest("r-ab12"))
    workspace.create(manifest("r-ab34"))
    with pytest.raises(UsageError, match="2 runs") as caught:
        workspace.find_run("ab")
    assert "r-ab34, r-ab12" in caught.value.do


@pytest.mark.parametrize("words", ["ff", "%", "_", "", "' OR 1=1"])
def test_words_that_mean_no_run_are_refused_with_the_runs_there_are(workspace, words):
    workspace.create(manifest("r-ab12"))
    with pytest.raises(UsageError) as caught:
        workspace.find_run(words)
    assert "r-ab12" in caught.value.do


def test_an_empty_workspace_says_how_to_start(tmp_path):
    with Workspace.open(tmp_path) as empty, pytest.raises(UsageError, match="no run yet"):
        empty.find_run("latest")


@pytest.mark.parametrize("status", ["running", "interrupted", "partial", "capped"])
def test_the_newest_run_of_a_plan_is_resumed_unless_it_is_complete(workspace, status):
    workspace.create(manifest("r-0002"))
    workspace.create(manifest("r-0003", plan="another"))
    workspace.finish("r-0002", status)
    assert workspace.find_resumable("plan-1").id == "r-0002"
    workspace.finish("r-0002", "complete")
    assert workspace.find_resumable("plan-1") is None
    assert workspace.find_resumable("no such plan") is None
    assert workspace.status("r-0002") == "complete"
