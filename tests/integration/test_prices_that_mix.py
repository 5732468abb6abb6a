"""A price that changes between runs: figures of two prices and decisions by an old one say so."""

from __future__ import annotations

from pathlib import Path

import pytest

from befit.config.load import load_project
from befit.pipeline.analysing import analyse_run
from befit.pipeline.deciding import decide_run
from befit.pipeline.running import run_project
from befit.storage.workspace import Workspace
from cli_ground import befit

CODE = """
def x(text):
    return {"text": text, "usage": {"uncached_input": 10, "text_output": 10}}

y = x
"""
CANDIDATE = """\
  - name: NAME
    target: function
    model: "answers_of_two_prices:NAME"
    sampling: {temperature: 0, top_p: 1, max_tokens: 5}
    price: {input: PRICE, output: PRICE}
"""
SCENARIO = """\
scenarios:
  - name: s
    dimension: reasoning
    samples: s.jsonl
    repeats: REPEATS
    success: right
    scorers: [match]
    accept: {pass_rate: 0.5}
"""


@pytest.fixture(autouse=True)
def _own_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "answers_of_two_prices.py").write_text(CODE)
    lines = [f'{{"id": "s{i}", "input": "a{i}", "target": "a{i}"}}\n' for i in range(40)]
    (tmp_path / "s.jsonl").write_text("".join(lines))
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.chdir(tmp_path)


def write(*, price: int, repeats: int) -> None:
    """`x` costs what is given, `y` 2 USD per million tokens."""
    text = "project: two-prices\ncandidates:\n"
    for name, own in (("x", price), ("y", 2)):
        text += CANDIDATE.replace("NAME", name).replace("PRICE", str(own))
    Path("befit.yaml").write_text(text + SCENARIO.replace("REPEATS", str(repeats)))


MIXED = (
    "The costs of x mix prices: 40 answers at input 10, output 10 USD per million tokens; "
    "40 answers at input 1, output 1 USD per million tokens."
)


def test_a_run_of_two_prices_says_so_in_report_and_decision() -> None:
    write(price=1, repeats=1)
    with Workspace.open(Path(".befit")) as workspace:
        first = run_project(load_project("."), workspace).manifest.id
        write(price=10, repeats=2)
        both = run_project(load_project("."), workspace).manifest.id
        told = [one for one in analyse_run(workspace, both).analysis.findings if "mix" in one.text]
        assert [(one.severity, one.text.startswith(MIXED)) for one in told] == [("weak", True)]
        decision = decide_run(workspace, both)
        assert decision.open_questions[0].startswith(MIXED)
        assert decision.tiers[0].confidence == "low"
        alone = analyse_run(workspace, first).analysis.findings
        assert not [one for one in alone if "mix prices" in one.text]


def test_a_decision_by_prices_that_are_not_the_projects_warns_and_is_not_sure() -> None:
    write(price=1, repeats=1)
    befit("run")
    before = befit("decide", "--json").envelope["data"]
    assert (before["tiers"][0]["candidate"], before["tiers"][0]["confidence"]) == ("x", "high")
    write(price=10, repeats=1)
    after = befit("decide", "--json").envelope["data"]
    assert after["tiers"][0]["confidence"] == "low"
    assert (
        "x was billed at input 1, output 1 USD per million tokens in this run and costs input 10, "
        "output 10 USD per million tokens now"
    ) in after["open_questions"][0]
