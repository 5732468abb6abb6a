"""The user's own function as a scorer."""

from __future__ import annotations

import sys

import pytest
from pydantic import ValidationError

from befit.errors import PluginError
from scorer_ground import scorer, scores_of

SOURCE = """
def length(output, sample):
    return min(1, len(output) / 10)

def same(sample, trial):
    return trial.output == sample.target

def rich(output, sample, *, limit=3):
    return {"value": len(output) <= limit, "label": "short", "answer": {"n": len(output)}}

def nothing(output, sample):
    return None

def broken(output, sample):
    raise KeyError("gone")

def returns(output, sample):
    return eval(output)

class Counting:
    def __call__(self, output, sample):
        return 1
counting = Counting()

async def later(output, sample):
    return 1

def one(output):
    return 1

number = 5
"""


@pytest.fixture(autouse=True)
def _users_module(tmp_path, monkeypatch):
    (tmp_path / "own_checks.py").write_text(SOURCE)
    monkeypatch.syspath_prepend(str(tmp_path))
    yield
    sys.modules.pop("own_checks", None)


def run(function, text="abcde", target=None, **options):
    (score,) = scores_of("python", text, target, function=f"own_checks:{function}", **options)
    return score


def test_numbers_booleans_dicts_and_none_are_scores():
    assert (run("length").value, run("length").label) == (0.5, "wrong")
    assert run("same", "x", "x").value == 1.0
    assert run("counting").value == 1.0
    rich = run("rich", options={"limit": 5})
    assert (rich.value, rich.label, rich.answer) == (1.0, "short", {"n": 5})
    assert (run("nothing").value, run("nothing").label) == (None, "unscored")


def test_an_exception_leaves_the_trial_unscored_with_its_words():
    score = run("broken")
    assert (score.value, score.label) == (None, "scorer_error")
    assert score.explanation == "KeyError: 'gone'"


@pytest.mark.parametrize(
    "returned", ["2", "-0.1", "float('nan')", "'good'", "[1]", "{'score': 1}", "{'value': 7}"]
)
def test_what_is_no_score_is_unscored(returned):
    score = run("returns", returned)
    assert (score.value, score.label) == (None, "scorer_error")


def test_the_score_has_the_users_name_and_the_source_is_in_the_version(tmp_path):
    judge = scorer("python", function="own_checks:length", name="brevity", needs_target=False)
    assert (judge.primary, judge.needs_target) == ("brevity", False)
    (tmp_path / "own_checks.py").write_text(SOURCE.replace("/ 10", "/ 200"))
    sys.modules.pop("own_checks")
    changed = scorer("python", function="own_checks:length", name="brevity", needs_target=False)
    assert changed.version != judge.version


@pytest.mark.parametrize("name", ["gone", "number.x"])
def test_a_function_that_is_not_there_is_told(name):
    with pytest.raises(PluginError):
        scorer("python", function=f"own_checks:{name}")


@pytest.mark.parametrize("name", ["later", "one", "number"])
def test_what_cannot_be_called_as_a_scorer_is_refused(name):
    with pytest.raises((TypeError, ValueError)):
        scorer("python", function=f"own_checks:{name}")


def test_a_path_without_a_colon_is_refused():
    with pytest.raises(ValidationError):
        scorer("python", function="own_checks.length")
