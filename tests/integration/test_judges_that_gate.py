"""A judge decides nothing by itself until people have measured it."""

from __future__ import annotations

import sys

import pytest

from befit.config.load import load_project
from befit.decide.wording import headline
from befit.pipeline.deciding import decide_run
from befit.pipeline.reporting import make_document
from befit.pipeline.running import run_project
from befit.storage.workspace import Workspace

CODE = """
import json, re

def good(prompt):
    return "Please, here it is."

def rude(prompt):
    return "No."

def judge(request):
    code = re.search(r'the text "(\\w+)"', request.messages[0].text).group(1)
    verdict = "pass" if "Please" in request.messages[0].text else "fail"
    return json.dumps({"reason": "r", "verdict": verdict, "code": code})
"""
PROJECT = """
project: judged
policy: {gates: [{scenario: reply, metric: METRIC, floor: 0.5}]}
candidates: [{name: good, target: function, model: "judged_gate_code:good",
              price: {input: 0, output: 0}}]
scenarios:
  - name: reply
    dimension: generation
    repeats: 1
    success: Polite.
    samples: [SAMPLES]
    scorers: [{judge: {rubric: "The answer is polite."}}]
    judges: [{name: kind, target: function, model: "judged_gate_code:judge"}]
"""

TWO = """candidates: [{name: rude, target: function, model: "judged_gate_code:rude",
              price: {input: 0, output: 0}}, {name: good,"""
UNGATED = PROJECT.replace("policy: {gates: [{scenario: reply, metric: METRIC, floor: 0.5}]}\n", "")
MIXED = UNGATED.replace("candidates: [{name: good,", TWO)
BY_QUALITY = MIXED.replace(
    "project: judged",
    "project: judged\npolicy: {prefer: quality, gates: "
    "[{scenario: reply, metric: failure_rate, ceiling: 0.5}]}",
)


@pytest.fixture
def judged(tmp_path, monkeypatch):
    """A judged run of 40 answers, all of which the judge lets pass."""
    (tmp_path / "judged_gate_code.py").write_text(CODE)
    monkeypatch.delitem(sys.modules, "judged_gate_code", raising=False)
    samples = ", ".join(f"{{id: q{i}, input: 'Say {i}'}}" for i in range(40))

    def run(metric, workspace, project=PROJECT):
        text = project.replace("METRIC", metric).replace("SAMPLES", samples)
        (tmp_path / "befit.yaml").write_text(text)
        project = load_project(tmp_path / "befit.yaml")
        return run_project(project, workspace).manifest.id

    with Workspace.open(tmp_path / ".befit") as workspace:
        yield workspace, run


@pytest.mark.parametrize("metric", ["pass_rate", "pass", "judge", "judge_grade"])
def test_a_gate_that_rests_on_an_uncalibrated_judge_stays_open(judged, metric):
    workspace, run = judged
    found = decide_run(workspace, run(metric, workspace))
    (gate,) = found.verdicts
    assert gate.verdict == "insufficient_evidence"
    assert "uncalibrated judge" in gate.evidence.method
    assert "befit review create" in gate.evidence.method
    assert found.outcome == "not_decided"


def test_the_report_calls_it_an_uncalibrated_judge(judged):
    workspace, run = judged
    document = make_document(workspace, run("pass_rate", workspace))
    said = [one for one in document.analysis.findings if "Uncalibrated judge" in one.text]
    assert [("reply" in one.text, one.do) for one in said] == [(True, "befit review create")]


def test_what_no_judge_says_gates_as_before(judged):
    workspace, run = judged
    (gate,) = decide_run(workspace, run("failure_rate", workspace)).verdicts
    assert gate.evidence.value == 0.0


@pytest.mark.parametrize("project", [UNGATED, MIXED, BY_QUALITY])
def test_an_uncalibrated_judge_chooses_nobody_where_no_gate_rests_on_it(judged, project):
    workspace, run = judged
    found = decide_run(workspace, run("", workspace, project))
    (tier,) = found.tiers
    assert (found.outcome, found.routes) == ("not_decided", ())
    assert (tier.candidate, tier.confidence, tier.samples_needed) == (None, "low", None)
    assert {one.verdict for one in tier.standings} == {"insufficient_evidence"}
    assert {one.why for one in tier.standings} == {"the word of an uncalibrated judge"}
    (said,) = [text for text in found.open_questions if "uncalibrated judge" in text]
    assert "its quality on reply is the word of" in said
    assert "befit review create" in said
    assert "uncalibrated judge" in headline(tier)


def test_one_candidate_behind_a_gate_that_no_judge_tells_is_decided_on(judged):
    workspace, run = judged
    project = BY_QUALITY.replace(TWO, "candidates: [{name: good,")
    found = decide_run(workspace, run("", workspace, project))
    assert [(one.candidate, one.settled) for one in found.routes] == [("good", True)]
