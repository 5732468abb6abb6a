"""Two decisions beside each other: what changed in words, and what of it turned the outcome."""

from __future__ import annotations

import json
import sys

import pytest

from befit.decide.diff import differences, reasons
from befit.pipeline.deciding import read_decision
from befit.storage.workspace import Workspace
from cli_ground import befit
from decision_project import shares, write_project

N = 120


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A project that was run and decided, as a folder; its policy is the last line of the file."""
    module = f"sim_{tmp_path.name.replace('-', '_')}"
    right = {"cheap": {"s": shares(N, 0.9)}, "dear": {"s": [1] * N}}
    prices = {"cheap": 1, "dear": 9}
    write_project(tmp_path, right, prices=prices, policy=GATE.format(0.8), module=module)
    monkeypatch.chdir(tmp_path)
    assert befit("run", "--yes").code == 0
    assert befit("decide").code == 0
    yield tmp_path
    sys.modules.pop(module, None)


GATE = "gates: [{{metric: pass_rate, floor: {}}}]"


def ask(folder, floor):
    text = (folder / "befit.yaml").read_text()
    at = text.index("gates: ")
    (folder / "befit.yaml").write_text(text[:at] + GATE.format(floor) + "\n")


def records(folder):
    with Workspace.open(folder / ".befit") as workspace:
        return workspace.records.all("decision")


def test_a_decision_that_says_the_same_is_not_recorded_again(project):
    again = befit("decide")
    (only,) = records(project)
    assert f"nothing changed since {only.id}" in again.err
    ask(project, 0.9)
    befit("decide")
    assert len(records(project)) == 2


def test_a_stricter_gate_is_told_with_what_it_turned(project):
    ask(project, 0.95)
    ended = befit("decide", "--diff", "latest")
    assert ended.code == 0
    told = " ".join(ended.out.split())
    assert "all tasks: cheap -> dear, since the policy changed: cheap" in told
    assert "at least 95 % is asked" in told
    assert "{" not in told
    new, old = (read_decision(one) for one in records(project))
    (gate,) = [one for one in differences(old, new) if one.part == "policy"]
    assert (gate.key, gate.old, gate.new) == ("gate pass_rate", "at least 0.8", "at least 0.95")
    assert reasons(old, old) == ()


def test_the_reasons_are_in_the_json_too(project):
    ask(project, 0.95)
    told = befit("decide", "--diff", "latest", "--json").out
    (why,) = json.loads(told)["data"]["reasons"]
    assert why.startswith("all tasks: cheap -> dear, since the policy changed")


def test_a_report_says_that_its_decision_is_of_an_earlier_policy(project):
    assert "another since" not in befit("report").out
    ask(project, 0.95)
    said = "another since this decision (gate pass_rate: at least 0.8 -> at least 0.95)"
    assert said in " ".join(befit("report").out.split())
    assert befit("report", "--format", "html", "--out", "r.html").code == 0
    assert "another since this decision" in (project / "r.html").read_text()
    assert befit("report", "--format", "markdown", "--out", "r.md").code == 0
    assert "another since this decision" in (project / "r.md").read_text()
    befit("decide")
    assert "another since" not in befit("report").out


def test_a_decision_is_not_written_under_an_ending_that_it_is_not(project):
    before = len(records(project))
    refused = befit("decide", "--out", "x.pdf")
    assert refused.code == 2
    assert "not as '.pdf'" in refused.err
    assert not (project / "x.pdf").exists()
    assert len(records(project)) == before
