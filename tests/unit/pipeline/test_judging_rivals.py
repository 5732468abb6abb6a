"""Pairs of candidates: each answer against another candidate's answer to the same sample."""

from __future__ import annotations

import pytest

from befit.config.load import load_project
from befit.errors import ConfigError
from befit.pipeline.rescoring import rescore_run
from befit.pipeline.running import run_project
from befit.storage.workspace import Workspace

CODE = """
import json, re
from pathlib import Path

CALLS = Path(__file__).with_name("calls.txt")

def short(prompt):
    return "Yes."

def long(prompt):
    return "Yes, and here is why: it follows from what was said."

def same(prompt):
    return "Yes."

def first(request):
    code = re.search(r'the text "(\\w+)"', request.messages[0].text).group(1)
    return json.dumps({"reason": "r", "verdict": "first", "code": code})

def longer(request):
    with CALLS.open("a") as file:
        file.write("call\\n")
    text = request.messages[1].text
    one, two = re.findall(r"<<(?:first|second) answer \\w+>>\\n(.*?)\\n<<end", text, re.S)
    word = "tie" if len(one) == len(two) else "first" if len(one) > len(two) else "second"
    code = re.search(r'the text "(\\w+)"', request.messages[0].text).group(1)
    return json.dumps({"reason": "r", "verdict": word, "code": code})
"""
PROJECT = """
project: rivals
candidates:
  - {{name: short, target: function, model: "rivals_code:short"}}
  - {{name: long, target: function, model: "rivals_code:long"}}
  - {{name: same, target: function, model: "rivals_code:same"}}
scenarios:
  - name: asked
    dimension: generation
    repeats: 1
    samples: [{{id: a, input: "Is it so?"}}, {{id: b, input: "Is it?"}}]
    scorers: [{{judge: {{mode: pairwise, against: {against}}}}}]
    judges: [{{name: longer, target: function, model: "rivals_code:longer"}}]
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "rivals_code.py").write_text(CODE)
    monkeypatch.delitem(__import__("sys").modules, "rivals_code", raising=False)
    return tmp_path


def project(folder, against):
    (folder / "befit.yaml").write_text(PROJECT.format(against=against))
    return load_project(folder)


def preferences(store, run_id):
    rows = store.scores(run_id, whole_only=True)
    return {(r.candidate, r.sample_id): r.value for r in rows if r.name == "judge_preference"}


def test_each_candidate_is_judged_against_the_rivals_answer_in_both_orders(folder):
    loaded = project(folder, "short")
    with Workspace.open(folder / ".befit") as store:
        ran = run_project(loaded, store)
        expected = {("long", s): 1.0 for s in "ab"} | {("same", s): 0.5 for s in "ab"}
        assert preferences(store, ran.manifest.id) == expected, ran.outcome
        # Two samples, two candidates against the rival, both orders; "same" has its order twice
        # in the same words, which is one question.
        first = (folder / "calls.txt").read_text().count("call")
        rescore_run(loaded, store, ran.manifest.id)
        assert preferences(store, ran.manifest.id) == expected
        assert (folder / "calls.txt").read_text().count("call") == first
        labels = {
            row.label
            for row in store.scores(ran.manifest.id, whole_only=True)
            if row.candidate == "short" and row.name == "judge"
        }
        assert labels == {"no_rival"}


def test_a_judge_that_takes_the_first_place_in_both_orders_has_given_no_verdict(folder):
    text = PROJECT.format(against="short").replace("rivals_code:longer", "rivals_code:first")
    (folder / "befit.yaml").write_text(text)
    with Workspace.open(folder / ".befit") as store:
        run_id = run_project(load_project(folder), store).manifest.id
        rows = [r for r in store.scores(run_id, whole_only=True) if r.candidate != "short"]
        verdicts = {(r.value, r.label) for r in rows if r.name == "judge"}
        assert verdicts == {(None, "order_decides")}
        assert {r.value for r in rows if r.name == "judge_preference"} == {0.5}
        asked = [f.passed for f in store.facts(run_id) if f.candidate != "short"]
        assert asked == [None] * 4


def test_a_rival_that_is_no_candidate_is_refused(folder):
    with (
        Workspace.open(folder / ".befit") as store,
        pytest.raises(ConfigError, match="against 'shrt', which is no candidate"),
    ):
        run_project(project(folder, "shrt"), store)
