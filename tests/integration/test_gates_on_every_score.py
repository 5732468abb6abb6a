"""Every score a scorer gives to a whole trial can gate, or is refused before the run."""

from __future__ import annotations

import json
import sys

import pytest

from befit.config.load import load_project
from befit.errors import ProjectError
from befit.pipeline.deciding import decide_run
from befit.pipeline.reporting import make_document
from befit.pipeline.running import run_project
from befit.report.csv import tables
from befit.report.html import render
from befit.report.json import to_json
from befit.report.markdown import render as as_markdown
from befit.storage.workspace import Workspace

N = 40
MODULE = """
import json

def caller(prompt):
    return json.dumps({"name": "look_up", "arguments": {"id": 2 if "wrong" in prompt else 1}})

def talker(messages):
    return "I remember: blue." if "colour" in str(messages) else "Noted."
"""
PROJECT = """
project: every-score
candidates:
  - {name: a, target: function, model: "MODULE:FUNCTION", price: {input: 0, output: 0},
     sampling: {temperature: 0, top_p: 1, max_tokens: 99}}
scenarios:
  - name: s
    dimension: DIMENSION
    repeats: 1
    success: It does what is asked.
    failure_modes: [{name: none, pattern: '^$'}]
    samples: s.jsonl
    EXTRA
policy: {gates: [{scenario: s, metric: METRIC, floor: 0.5}]}
"""
CALL = {"calls": [{"name": "look_up", "arguments": {"id": 1}}]}
TOOL = {
    "name": "look_up",
    "parameters": {"type": "object", "properties": {"id": {"type": "integer"}}},
}


@pytest.fixture(autouse=True)
def fresh_modules():
    yield
    for name in [n for n in sys.modules if n.startswith("every_score_")]:
        del sys.modules[name]


def write(folder, samples, *, metric, function="caller", dimension="tool-calling", extra=""):
    folder.mkdir(exist_ok=True)
    module = f"every_score_{folder.name}".replace("-", "_")
    (folder / f"{module}.py").write_text(MODULE)
    (folder / "s.jsonl").write_text("\n".join(map(json.dumps, samples)))
    text = PROJECT.replace("MODULE", module).replace("FUNCTION", function)
    text = text.replace("DIMENSION", dimension).replace("METRIC", metric).replace("EXTRA", extra)
    (folder / "befit.yaml").write_text(text)
    return folder / "befit.yaml"


def decided(path):
    """Run a project; return the verdict of its gate."""
    with Workspace.open(path.parent / ".befit") as workspace:
        run = run_project(load_project(path), workspace).manifest.id
        return decide_run(workspace, run).verdicts[0]


def calls(**more):
    """A quarter of the calls has a wrong argument; all are due."""
    return [
        {"id": f"q{i}", "input": f"{'wrong' if i % 4 == 0 else 'right'} {i}", "tools": [TOOL],
         "target": CALL, **more}
        for i in range(N)
    ]  # fmt: skip


def test_a_score_beside_a_scorers_first_gates(tmp_path):
    found = decided(write(tmp_path, calls(), metric="call_decision", extra="scorers: [tool_calls]"))
    assert (found.verdict, found.evidence.value, found.evidence.n_samples) == ("pass", 1.0, N)


def test_it_is_its_own_measure_and_not_the_scorers_first(tmp_path):
    accept = "scorers: [tool_calls]\n    accept: {metrics: {calls_right: 0.5}}"
    path = write(tmp_path, calls(), metric="calls_needed", extra=accept)
    with Workspace.open(tmp_path / ".befit") as workspace:
        run = run_project(load_project(path), workspace).manifest.id
        found = {v.gate.metric: v for v in decide_run(workspace, run).verdicts}
    assert found["calls_needed"].evidence.value == 1.0
    assert found["calls_right"].evidence.value == 0.75
    assert found["calls_right"].verdict == "pass"


def test_a_gate_of_a_policy_written_after_the_run_is_measured_too(tmp_path):
    path = write(tmp_path, calls(), metric="pass_rate", extra="scorers: [tool_calls]")
    later = load_project(
        write(tmp_path / "later", calls(), metric="calls_right", extra="scorers: [tool_calls]")
    )
    with Workspace.open(tmp_path / ".befit") as workspace:
        run = run_project(load_project(path), workspace).manifest.id
        (found,) = decide_run(workspace, run, policy=later.policy).verdicts
    assert (found.gate.metric, found.evidence.value) == ("calls_right", 0.75)


def test_what_the_checks_of_samples_make_gates_too(tmp_path):
    own = calls(checks=["tool_calls"])
    found = decided(write(tmp_path, own, metric="call_decision"))
    assert (found.verdict, found.evidence.value) == ("pass", 1.0)


TALK = [
    {"id": f"t{i}",
     "turns": [{"user": f"I am {i} and my colour is blue."},
               {"user": "Which colour?", "about": "retention",
                "checks": [{"match": {"contains": True}}]}],
     "target": "blue"}
    for i in range(N)
]  # fmt: skip


def test_what_turns_are_about_gates(tmp_path):
    path = write(tmp_path, TALK, metric="retention", function="talker", dimension="multi-turn")
    found = decided(path)
    assert (found.verdict, found.evidence.n_samples) == ("pass", N)


def test_a_metric_of_turns_that_no_sample_brings_is_refused_and_says_what_makes_it(tmp_path):
    path = write(tmp_path, TALK, metric="coreference", function="talker", dimension="multi-turn")
    with pytest.raises(ProjectError, match="about: coreference"):
        load_project(path)


def test_a_metric_that_nothing_makes_is_refused_before_the_run(tmp_path):
    path = write(tmp_path, calls(checks=["tool_calls"]), metric="goal_kept")
    with pytest.raises(ProjectError, match="'goal_kept' is not made by the scorers of 's'"):
        load_project(path)


def reported(path):
    """Run a project and return its report."""
    with Workspace.open(path.parent / ".befit") as workspace:
        run = run_project(load_project(path), workspace).manifest.id
        return make_document(workspace, run)


def test_every_score_of_whole_answers_stands_in_each_form_of_the_report(tmp_path):
    accept = "scorers: [tool_calls]\n    accept: {metrics: {calls_right: 0.5, calls_needed: 0.5}}"
    path = write(tmp_path, calls(), metric="pass_rate", extra=accept)
    document = reported(path)
    further = {one.metric: one for one in document.analysis.further}
    assert set(further) == {"call_decision", "calls_needed", "calls_right"}
    assert further["calls_right"].estimate.value == 0.75
    assert (further["calls_right"].threshold, further["calls_right"].below_gate) == (0.5, False)
    told = {one["metric"]: one["estimate"] for one in to_json(document)["analysis"]["further"]}
    assert (told["calls_right"]["n_samples"], told["calls_right"]["low"] < 0.75) == (N, True)
    assert "calls_right,a,0.75" in tables(document)["further_scores.csv"]
    page = render(document)
    assert "Further scores of whole answers" in page
    assert "<td><bdi>calls_right</bdi></td>" in page
    text = as_markdown(document)
    assert "**Further scores**\n" in text
    line = next(one for one in text.splitlines() if one.startswith(r"| calls\_right ("))
    assert "| 75 % [" in line
    assert f"(n = {N} x 1, met)" in line


def test_the_turns_metrics_stand_in_the_report_too(tmp_path):
    document = reported(
        write(tmp_path, TALK, metric="retention", function="talker", dimension="multi-turn")
    )
    (one,) = document.analysis.further
    assert (one.metric, one.estimate.value, one.estimate.n_samples) == ("retention", 1.0, N)


def test_scores_of_a_great_run_are_named_and_not_measured(tmp_path, monkeypatch):
    monkeypatch.setattr("befit.pipeline.analysing.MOST_TRIALS", N - 1)
    document = reported(
        write(tmp_path, calls(), metric="calls_right", extra="scorers: [tool_calls]")
    )
    further = {one.metric: one.estimate for one in document.analysis.further}
    assert further["call_decision"].value is None
    assert "a gate on it" in further["call_decision"].method
    assert further["calls_right"].value == 0.75, "it is gated, so it is read"


def test_an_unknown_metric_is_told_what_the_samples_make_too(tmp_path):
    own = [*calls(checks=["tool_calls"]), *TALK]
    with pytest.raises(ProjectError, match="unknown metric 'zebra'") as caught:
        load_project(write(tmp_path, own, metric="zebra"))
    known = str(caught.value).split("known: ")[1].replace("\n", " ").split(", ")
    # of the samples' scorer, of the dimension, of the turns of one sample, of every scenario
    assert {"call_decision", "task_complete", "conversation", "retention", "latency"} <= set(known)
    with pytest.raises(ProjectError, match="did you mean 'call_decision'"):
        load_project(write(tmp_path / "near", own, metric="call_decisoin"))


def test_less_is_better_where_a_rate_counts_mistakes(tmp_path):
    samples = [
        {"id": f"e{i}", "input": "x", "target": {"total": None}, "checks": [
            {"fields": {"fields": {"total": "number"}}}]}
        for i in range(N)
    ]  # fmt: skip
    accept = "accept: {metrics: {hallucination: 0.2}}"
    path = write(tmp_path, samples, metric="pass_rate", dimension="extraction", extra=accept)
    module = next(tmp_path.glob("every_score_*.py"))
    module.write_text("def caller(prompt):\n    return '{\"total\": 3}'\n")
    with Workspace.open(tmp_path / ".befit") as workspace:
        run = run_project(load_project(path), workspace).manifest.id
        found = {v.gate.metric: v for v in decide_run(workspace, run).verdicts}
    assert found["hallucination"].evidence.value == 1.0
    assert found["hallucination"].verdict == "fail"
