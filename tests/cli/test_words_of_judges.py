"""What a judge said stands with the answer it judged: in `show`, in the export and on the page."""

from __future__ import annotations

import json

import pytest

from befit.config.load import load_project
from befit.pipeline.reporting import make_document
from befit.pipeline.running import run_project
from befit.report.html import render
from befit.storage.workspace import Workspace
from cli_ground import befit

CODE = """
import json, re

def good(prompt):
    return "Please, here it is."

def chatty(request):
    return "Sure! Here is my verdict: <b>pass</b>\\u202e"

def _verdict(request, word, reason):
    code = re.search(r'the text "(\\w+)"', request.messages[0].text).group(1)
    return json.dumps({"reason": reason, "verdict": word, "code": code})

def kind(request):
    return _verdict(request, "pass", "It says please.")

def harsh(request):
    return _verdict(request, "fail", "It is <i>too short</i>.")
"""
PROJECT = """
project: worded
candidates: [{name: good, target: function, model: "worded_code:good"}]
scenarios:
  - name: reply
    dimension: generation
    repeats: 1
    success: Polite.
    samples: [{id: q1, input: "Say 1"}, {id: q2, input: "Say 2"}]
    scorers: [{judge: {rubric: "The answer is polite."}}]
    judges: [JUDGES]
"""


@pytest.fixture
def judged(tmp_path, monkeypatch):
    monkeypatch.delitem(__import__("sys").modules, "worded_code", raising=False)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "worded_code.py").write_text(CODE)

    def run(*names):
        judges = ", ".join(
            f'{{name: {name}, target: function, model: "worded_code:{name}"}}' for name in names
        )
        (tmp_path / "befit.yaml").write_text(PROJECT.replace("JUDGES", judges))
        with Workspace.open(tmp_path / ".befit") as workspace:
            return run_project(load_project(tmp_path / "befit.yaml"), workspace).manifest.id

    return run


def test_the_reason_of_a_judge_is_shown_with_the_judged_answer(judged):
    judged("kind")
    assert "said: 'It says please.'" in befit("show", "q1").out


def test_a_reply_that_is_no_verdict_is_shown_in_its_own_words_and_inert(judged):
    judged("chatty")
    for words in (("show", "q1"), ("show", "q1", "--raw")):
        said = befit(*words).out
        assert "the reply is not one JSON object; the reply: Sure! Here is my verdict" in said
        assert "\u202e" not in said


def test_the_export_has_the_words_of_judges(judged, tmp_path):
    judged("harsh")
    assert befit("export", "--out", tmp_path / "all.jsonl").code == 0
    first = json.loads((tmp_path / "all.jsonl").read_text().splitlines()[0])
    told = [s["explanation"] for s in first["scores"] if s["name"] == "judge_verdict"]
    assert told == ["It is <i>too short</i>."]


def test_the_page_quotes_a_judge_and_escapes_its_words(judged, tmp_path):
    run = judged("harsh")
    with Workspace.open(tmp_path / ".befit") as workspace:
        page = render(make_document(workspace, run))
    assert "It is &lt;i&gt;too short&lt;/i&gt;." in page
    assert "<i>too short</i>" not in page


def test_judges_that_are_divided_have_a_label_of_their_own(judged, tmp_path):
    run = judged("kind", "harsh")
    with Workspace.open(tmp_path / ".befit") as workspace:
        scores = workspace.score_details(run, "good", "reply", "q1", "", 0)
    (whole,) = [score for score in scores if score.name == "judge"]
    assert (whole.value, whole.label) == (None, "no_majority")
    assert whole.explanation == "the judges are divided"


def test_what_another_run_cannot_mend_is_not_advised_to_be_run_again(judged, tmp_path):
    run = judged("kind", "harsh")
    with Workspace.open(tmp_path / ".befit") as workspace:
        findings = make_document(workspace, run).analysis.findings
    assert any("could not be scored" in one.text for one in findings)
    assert not [one for one in findings if "fill the gaps" in one.do]
