"""The regression gate as a pipeline has it: exit codes, files, refusals, what differs."""

from __future__ import annotations

import contextlib
import importlib
import json
import shutil
import subprocess
import sys
import time

import junitparser
import pytest

import cli_ground
from decision_project import shares, write_project

CODE = "from befit.cli.main import main; import sys; sys.exit(main())"
N = 300


def befit(folder, *words):
    """Run a verb in this process, with the models as they stand in the folder now."""
    for module in ("sim_models", "fn"):
        sys.modules.pop(module, None)
    importlib.invalidate_caches()
    with contextlib.chdir(folder), pytest.MonkeyPatch.context() as patch:
        # What is compiled is told by its second and size, and these files change within one.
        patch.setattr(sys, "dont_write_bytecode", True)
        return cli_ground.befit(*words)


def befit_of_its_own(folder, *words):
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


@pytest.fixture(scope="module")
def baseline(tmp_path_factory):
    """A project whose run is the baseline; nothing changes it."""
    folder = tmp_path_factory.mktemp("baseline")
    project(folder, 0.9)
    assert befit(folder, "run").code == 0
    assert befit(folder, "bless", "--note", "first").code == 0
    return folder


@pytest.fixture
def blessed(baseline, tmp_path):
    """A copy of it."""
    return shutil.copytree(baseline, tmp_path / "blessed")


def test_a_fall_fails_with_3_and_says_what_differs(blessed):
    project(blessed, 0.7, system="New.")
    found = befit_of_its_own(blessed, "gate", "-o", "gate.xml", "-o", "gate.md", "-o", "gate.json")
    assert found.returncode == 3, found.stderr
    assert "at most -" in found.stdout  # the bound that decides
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
    assert befit_of_its_own(blessed, "gate").returncode == 0


@pytest.mark.parametrize(("policy", "code"), [("exit4", 4), ("fail", 3), ("pass", 0)])
def test_too_little_evidence_ends_as_asked(tmp_path, policy, code):
    project(tmp_path, 0.9, n=20)
    befit(tmp_path, "run")
    befit(tmp_path, "bless")
    project(tmp_path, 0.85, n=20, system="New.")
    assert befit(tmp_path, "gate", "--on-inconclusive", policy).code == code


SLOW = """from befit.core.failure import Failure
from befit.errors import TargetError

def answer(request):
    if "SLOW" and request.messages[-1].content.endswith("1"):
        raise TargetError(Failure(kind="timeout_total", message="no end"))
    return "right"
"""


def test_a_version_that_loses_a_tenth_of_its_answers_does_not_pass(tmp_path):
    """The other nine tenths are all right, which nobody may conclude from."""
    samples = [{"id": f"s{n}", "input": f"q{n}", "target": "right"} for n in range(100)]
    (tmp_path / "s.jsonl").write_text("".join(json.dumps(one) + "\n" for one in samples))
    settings = (
        "project: p\nrun: {{retries: 0, seed: 7}}\ncandidates:\n"
        "  - {{name: x, target: function, model: 'fn:answer', revision: '{}', sampling: "
        "{{temperature: 0, top_p: 1, max_tokens: 5}}}}\nscenarios:\n"
        "  - {{name: s, dimension: knowledge, samples: s.jsonl, repeats: 1, success: x, "
        "scorers: [match], accept: {{pass_rate: 0.8}}}}\n"
    )
    (tmp_path / "fn.py").write_text(SLOW.replace('"SLOW" and', "False and"))
    (tmp_path / "befit.yaml").write_text(settings.format(1))
    assert befit(tmp_path, "run", "-y").code == 0
    assert befit(tmp_path, "bless").code == 0
    (tmp_path / "fn.py").write_text(SLOW)
    (tmp_path / "befit.yaml").write_text(settings.format(2))
    found = befit(tmp_path, "gate", "--on-inconclusive", "pass", "-o", "gate.md")
    assert found.code == 5, found.out
    told = "10 of 100 samples lack a value on one side"
    assert told in found.err
    assert told in (tmp_path / "gate.md").read_text()
    assert "passed" not in found.out


def test_another_sample_set_is_refused_before_anything_is_spent(blessed):
    project(blessed, 0.9, n=N + 1, system="New.")
    before = json.loads(befit(blessed, "runs", "--json").out)["data"]
    refused = befit(blessed, "gate")
    assert refused.code == 2
    assert "sample sets differ" in refused.err
    assert json.loads(befit(blessed, "runs", "--json").out)["data"] == before
    assert befit(blessed, "gate", "--across", "common").code == 0
    rerun = befit(blessed, "gate", "--across", "rerun")
    assert rerun.code == 0
    assert "was run again" in rerun.err


def test_another_scorer_is_refused(blessed):
    file = blessed / "befit.yaml"
    file.write_text(
        file.read_text().replace("scorers: [match]", "scorers: [{match: {mode: contains}}]")
    )
    refused = befit(blessed, "gate")
    assert refused.code == 2, refused.out + refused.err


def test_watching_fires_where_the_served_model_is_another(blessed):
    assert befit(blessed, "watch", "gate").code == 0
    module = blessed / "sim_models.py"
    module.write_text(module.read_text().replace('self.name + "-1"', 'self.name + "-next"'))
    time.sleep(1.05 - time.time() % 1.0)  # a watch is named by its second: this is another one
    found = befit(blessed, "watch", "gate")
    assert found.code == 3
    assert "now answered by bot-next" in found.err
    history = json.loads(befit(blessed, "watch", "history", "--json").out)["data"]
    assert len(history) == 2
