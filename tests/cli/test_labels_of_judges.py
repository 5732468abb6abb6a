"""`befit judges --labels`: what cannot be corrected says why, a misspelt name is an error."""

from __future__ import annotations

import pytest

from befit.config.load import load_project
from befit.pipeline.running import run_project
from befit.storage.workspace import Workspace
from cli_ground import befit

CODE = """
import json, re

def good(prompt):
    return "Please, here it is."

def judge(request):
    code = re.search(r'the text "(\\w+)"', request.messages[0].text).group(1)
    return json.dumps({"reason": "r", "verdict": "pass", "code": code})
"""
PROJECT = """
project: labelled
candidates: [{name: good, target: function, model: "labelled_code:good"}]
scenarios:
  - name: reply
    dimension: generation
    repeats: 1
    success: Polite.
    samples: [SAMPLES]
    scorers: [{judge: {rubric: "The answer is polite."}}]
    judges: [{name: kind, target: function, model: "labelled_code:judge"}]
"""
N = 20


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.delitem(__import__("sys").modules, "labelled_code", raising=False)
    (tmp_path / "labelled_code.py").write_text(CODE)
    samples = ", ".join(f"{{id: q{i}, input: 'Say {i}'}}" for i in range(N))
    (tmp_path / "befit.yaml").write_text(PROJECT.replace("SAMPLES", samples))
    with Workspace.open(tmp_path / ".befit") as workspace:
        run_project(load_project(tmp_path / "befit.yaml"), workspace)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def labels(folder, n, *, value=0, scenario="reply", candidate="good", sample="q"):
    rows = [f"{scenario},{candidate},{sample}{i},0,{value}" for i in range(n)]
    path = folder / "labels.csv"
    path.write_text("\n".join(["scenario,candidate,sample,repeat,value", *rows]) + "\n")
    return path


def rate(path):
    return befit("judges", "--labels", path, "--json").data["corrected"][0]["rates"]["good"]


def test_ten_labels_that_are_all_alike_leave_an_interval_open(folder):
    found = rate(labels(folder, 10))
    assert (found["value"], found["low"]) == (0.0, 0.0)
    assert found["high"] == pytest.approx(0.2775, abs=1e-3)
    said = befit("judges", "--labels", folder / "labels.csv").out
    assert "labels alone: the corrections are all alike" in " ".join(said.split())


def test_with_every_answer_labelled_the_labels_speak_alone(folder):
    found = rate(labels(folder, N))
    assert (found["value"], found["n_samples"]) == (0.0, N)
    assert "all answers are labelled" in found["method"]


def test_what_is_not_measured_says_why_in_the_text(folder):
    said = befit("judges", "--labels", labels(folder, 1)).out
    assert "not measured (needs two labels" in " ".join(said.split())


@pytest.mark.parametrize(
    ("wrong", "what", "near"),
    [
        ({"scenario": "repyl"}, "'repyl' is no judged scenario", "did you mean 'reply'?"),
        ({"candidate": "godo"}, "'godo' is no candidate", "did you mean 'good'?"),
        ({"sample": "qq1"}, "'qq10' is no sample", "did you mean 'q1"),
    ],
)
def test_a_misspelt_name_is_an_error_line_with_the_nearest(folder, wrong, what, near):
    done = befit("judges", "--labels", labels(folder, 2, **wrong))
    told = " ".join(done.err.split())
    assert done.code != 0
    assert what in told
    assert "labels.csv:2" in told
    assert near in told
