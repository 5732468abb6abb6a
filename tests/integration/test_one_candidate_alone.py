"""What is not known of a single candidate is called by its name: no usage is not no price."""

from __future__ import annotations

import sys

from befit.config.load import load_project
from befit.pipeline.deciding import decide_run
from befit.pipeline.reporting import make_document
from befit.pipeline.running import run_project
from befit.report.markdown import render
from befit.storage.workspace import Workspace

PROJECT = """
project: priced
candidates: [{name: f, target: function, model: "priced_code:f", PRICE}]
scenarios: [{name: s, dimension: knowledge, success: x, repeats: 1, scorers: [match],
             samples: [{id: q, input: capital, target: Paris}]}]
"""


def ran(folder, price, monkeypatch):
    """Run the project; return what its decision leaves open, and its report in Markdown."""
    monkeypatch.delitem(sys.modules, "priced_code", raising=False)
    (folder / "priced_code.py").write_text('def f(prompt): return "Paris"\n')
    (folder / "befit.yaml").write_text(PROJECT.replace("PRICE", price))
    with Workspace.open(folder / ".befit") as workspace:
        run = run_project(load_project(folder / "befit.yaml"), workspace).manifest.id
        open_ = decide_run(workspace, run).open_questions
        return " ".join(open_), render(make_document(workspace, run))


def test_a_price_without_usage_is_no_missing_price(tmp_path, monkeypatch):
    asked, _ = ran(tmp_path, "price: {input: 1, output: 2}", monkeypatch)
    assert "the usage of f is unknown" in asked
    assert "add price" not in asked


def test_a_candidate_without_a_price_is_asked_for_it(tmp_path, monkeypatch):
    asked, _ = ran(tmp_path, 'revision: "1"', monkeypatch)
    assert "the price of f is unknown" in asked
    assert "add price to the candidate" in asked


def test_one_candidate_has_no_pair_in_markdown(tmp_path, monkeypatch):
    _, said = ran(tmp_path, "price: {input: 1, output: 2}", monkeypatch)
    assert "One candidate: there is no pair to compare." in said
    assert "nothing that both answered" not in said
