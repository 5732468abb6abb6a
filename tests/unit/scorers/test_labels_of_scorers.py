"""The one table of labels holds what the code of the scorers gives, and nothing else."""

from __future__ import annotations

import ast
from pathlib import Path

import befit.engine.turns
import befit.scorers
from befit import plugins
from befit.core.failure import Failure
from befit.scorers.labels import ANYWHERE, ITSELF, LABELS, MEANINGS, OWN_WORDS

FILES = [*Path(befit.scorers.__path__[0]).glob("*.py"), Path(befit.engine.turns.__file__)]
PASSING = {
    *("right", "done", "found", "held", "not_held", "given", "not_given", "asked", "called"),
    *("held_back", "passed", "pass", "measured", "valid", "present", "complete", "fixed"),
}
"""Labels of what is right, or only says how it stands."""
UNSCORED = {
    *("no_target", "bad_target", "scorer_error", "no_world", "not_measured", "order_decides"),
    "written_calls",
}


def texts(node):
    return {n.value for n in ast.walk(node) if isinstance(n, ast.Constant) and type(n.value) is str}


def labels_in(path):
    """Return the texts that are given as a label, or kept under that name."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.keyword) and node.arg in {"label", "fault"}:
            found |= texts(node.value)
        if isinstance(node, ast.Assign) and any(
            isinstance(target, ast.Name) and target.id == "label" for target in node.targets
        ):
            found |= texts(node.value)
    return {text for text in found if text.isidentifier() and text not in {"label", "value"}}


def test_every_label_that_the_code_gives_is_in_the_table():
    known = {*MEANINGS, *PASSING, *UNSCORED}
    lost = {path.stem: labels_in(path) - known for path in FILES if path.stem != "labels"}
    assert {name: labels for name, labels in lost.items() if labels} == {}


def test_every_label_in_the_table_is_given_by_some_code_and_explained_once():
    code = {
        text
        for path in FILES
        if path.stem != "labels"
        for text in texts(ast.parse(path.read_text("utf-8")))
    }
    named = {label for labels in LABELS.values() for label in labels} | set(ANYWHERE)
    assert named - code - {*ITSELF, "too_late", "empty"} == set()
    assert named == set(MEANINGS)


def test_the_table_has_every_scorer_and_no_other():
    own = {
        name
        for name in plugins.available("befit.scorers")
        if plugins.load("befit.scorers", name).__module__.startswith("befit.")
    }
    assert set(LABELS) == own
    assert own > OWN_WORDS


def test_failures_of_the_candidate_itself_are_those_that_are_blamed_on_it():
    assert {Failure(kind=kind, message="").blame for kind in ITSELF} == {"candidate"}
