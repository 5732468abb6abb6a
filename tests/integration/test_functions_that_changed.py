"""A function that was edited is told from its stored answers: they are kept by its fingerprint."""

from __future__ import annotations

import sys

import pytest

from befit.config.load import load_project
from befit.pipeline.planning import plan_project
from befit.pipeline.running import run_project
from befit.storage.workspace import Workspace

PROJECT = """
project: changed
candidates: [{name: f, target: function, model: "changed_code:f", revision: "REVISION"}]
scenarios: [{name: s, dimension: knowledge, success: x, repeats: 1, scorers: [match],
             samples: [{id: q, input: capital, target: Paris}]}]
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.delitem(sys.modules, "changed_code", raising=False)
    write(tmp_path, "Paris")
    yield tmp_path
    sys.modules.pop("changed_code", None)


def write(folder, answer, *, revision="1"):
    (folder / "changed_code.py").write_text(f'def f(prompt): return "{answer}"\n')
    (folder / "befit.yaml").write_text(PROJECT.replace("REVISION", revision))


def warned(folder, *, label=""):
    """Return what the plan says of changed code."""
    project = load_project(folder / "befit.yaml")
    settings = project.settings.model_copy(update={"label": label})
    with Workspace.open(folder / ".befit") as workspace:
        made = plan_project(project, workspace, settings=settings)
    return [text for text in made.warnings if "the file of" in text]


def run(folder):
    with Workspace.open(folder / ".befit") as workspace:
        return run_project(load_project(folder / "befit.yaml"), workspace).manifest


def test_a_function_that_changed_since_its_answers_were_stored_is_warned_of(folder):
    assert warned(folder) == []
    first = run(folder).id
    assert warned(folder) == []
    write(folder, "London")
    (said,) = warned(folder)
    assert "the file of changed_code:f has changed since run " + first in said


def test_another_revision_settles_it(folder):
    run(folder)
    write(folder, "London", revision="2")
    assert warned(folder) == []


def test_what_is_measured_anew_under_a_label_takes_no_stored_answers(folder):
    run(folder)
    write(folder, "London")
    assert warned(folder, label="again") == []


def test_the_code_is_in_no_fingerprint(folder):
    first = run(folder)
    write(folder, "London")
    with Workspace.open(folder / ".befit") as workspace:
        again = run_project(load_project(folder / "befit.yaml"), workspace)
    assert again.outcome is None, "the same plan: nothing was asked"
    assert again.manifest.candidates[0].fingerprint == first.candidates[0].fingerprint
