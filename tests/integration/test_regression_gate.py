"""The regression gate as a pipeline has it: exit codes, files, refusals, what differs."""

from __future__ import annotations

import json
import subprocess
import sys

import junitparser
import pytest

from decision_project import shares, write_project

CODE = "from befit.cli.main import main; import sys; sys.exit(main())"
N = 300


def befit(folder, *words):
    """Run a verb in a process of its own."""
    return subprocess.run(
        [sys.executable, "-c", CODE, *words],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=90,
        check=False,
    )


def project(folder, rate, *, n=N, system="Old."):
    """Write a project of one candidate."""
    write_project(
        folder,
        {"bot": {"sort": shares(n, rate)}},
        prices={"bot": 1},
        extra={"bot": f"prompt: {{system: {system}}}"},
    )


@pytest.fixture
def blessed(tmp_path):
    """A project whose run is the baseline."""
    project(tmp_path, 0.9)
    assert befit(tmp_path, "run").returncode == 0
    assert befit(tmp_path, "bless", "--note", "first").returncode == 0
    return tmp_path


def test_a_fall_fails_with_3_and_says_what_differs(blessed):
    project(blessed, 0.7, system="New.")
    found = befit(blessed, "gate", "-o", "gate.xml", "-o", "gate.md", "-o", "gate.json")
    assert found.returncode == 3, found.stderr
    assert "-Old." in found.stdout
    assert "+New." in found.stdout
    suites = junitparser.JUnitXml.fromfile(str(blessed / "gate.xml"))
    cases = [case for suite in suites for case in suite]
    assert [case.name for case in cases] == ["sort"]
    assert isinstance(cases[0].result[0], junitparser.Failure)
    assert (suites.tests, suites.failures) == (1, 1)
    comment = (blessed / "gate.md").read_text()
    assert "failed" in comment
    assert len(comment.splitlines()) <= 60
    assert json.loads((blessed / "gate.json").read_text())["outcome"] == "fail"


def test_no_change_passes_with_0(blessed):
    project(blessed, 0.9, system="New.")
    assert befit(blessed, "gate").returncode == 0


@pytest.mark.parametrize(("policy", "code"), [("exit4", 4), ("fail", 3), ("pass", 0)])
def test_too_little_evidence_ends_as_asked(tmp_path, policy, code):
    project(tmp_path, 0.9, n=20)
    befit(tmp_path, "run")
    befit(tmp_path, "bless")
    project(tmp_path, 0.85, n=20, system="New.")
    assert befit(tmp_path, "gate", "--on-inconclusive", policy).returncode == code


def test_another_sample_set_is_refused_before_anything_is_spent(blessed):
    project(blessed, 0.9, n=N + 1, system="New.")
    before = json.loads(befit(blessed, "runs", "--json").stdout)["data"]
    refused = befit(blessed, "gate")
    assert refused.returncode == 2
    assert "sample sets differ" in refused.stderr
    assert json.loads(befit(blessed, "runs", "--json").stdout)["data"] == before
    assert befit(blessed, "gate", "--across", "common").returncode == 0
    rerun = befit(blessed, "gate", "--across", "rerun")
    assert rerun.returncode == 0
    assert "was run again" in rerun.stderr


def test_another_scorer_is_refused(blessed):
    file = blessed / "befit.yaml"
    file.write_text(
        file.read_text().replace("scorers: [match]", "scorers: [{match: {mode: contains}}]")
    )
    refused = befit(blessed, "gate")
    assert refused.returncode == 2, refused.stdout + refused.stderr


def test_watching_fires_where_the_served_model_is_another(blessed):
    assert befit(blessed, "watch", "gate").returncode == 0
    module = blessed / "sim_models.py"
    module.write_text(module.read_text().replace('self.name + "-1"', 'self.name + "-2"'))
    found = befit(blessed, "watch", "gate")
    assert found.returncode == 3
    assert "now answered by bot-2" in found.stderr
    history = json.loads(befit(blessed, "watch", "history", "--json").stdout)["data"]
    assert len(history) == 2
