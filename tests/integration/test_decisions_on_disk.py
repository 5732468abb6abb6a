"""Decisions on stored runs: what lies beside a run feeds them, what is unknown stays unknown."""

from __future__ import annotations

import json
import re
import sys
from datetime import UTC, datetime

import pytest

from befit.analysis.fallback_edge import Edge
from befit.analysis.fallback_quality import fallback_quality
from befit.analysis.load import ServiceLevel, analyse_level
from befit.analysis.load_result import LoadResult
from befit.analysis.load_timeline import timeline
from befit.config.load import load_project
from befit.engine.load_shape import LoadShape
from befit.errors import StoreError, UsageError
from befit.pipeline.analysing import load_frame
from befit.pipeline.comparing import compare_candidates
from befit.pipeline.deciding import decide_run
from befit.pipeline.gating import bless, compare_frames, run_and_compare
from befit.pipeline.measured import keep_edges, keep_load
from befit.pipeline.reporting import make_document
from befit.pipeline.running import run_project
from befit.pipeline.watching import watch
from befit.report.html import render
from befit.report.json import to_json
from befit.storage.workspace import Workspace
from decision_project import shares, write_project
from load_ground import SimulatedServer, run_level

NOW = datetime(2026, 1, 2, tzinfo=UTC)
N = 120


@pytest.fixture(autouse=True)
def fresh_modules():
    yield
    for name in [n for n in sys.modules if n.startswith("sim_")]:
        del sys.modules[name]


def ran(folder, right, *, workspace, **more):
    """Write and run a project; return it with the run's id."""
    prices = more.pop("prices", dict.fromkeys(right, 1))
    module = f"sim_{folder.name.replace('-', '_')}"
    project = load_project(write_project(folder, right, prices=prices, module=module, **more))
    return project, run_project(project, workspace).manifest.id


GATES = """
gates:
  - {metric: throughput, floor: 20}
  - {metric: fallback_retention, floor: 0.8}
  - {metric: pass_rate, floor: 0.8}
"""


def test_a_load_measurement_and_a_fallback_check_settle_the_gates_they_are_for(tmp_path):
    right = {"main": {"s": shares(N, 0.97)}, "spare": {"s": shares(N, 0.95)}}
    with Workspace.open(tmp_path / ".befit") as workspace:
        project, run = ran(tmp_path, right, workspace=workspace, policy=GATES)
        before = decide_run(workspace, run)
        open_ = {v.gate.metric for v in before.verdicts if v.verdict == "insufficient_evidence"}
        assert open_ == {"throughput", "fallback_retention"}
        manifest = workspace.manifest(run)
        measured(workspace, manifest, project)
        found = decide_run(workspace, run)
    verdicts = {(v.candidate, v.gate.metric): v for v in found.verdicts}
    assert verdicts["main", "throughput"].verdict == "pass"
    # about 30 calls a second came to ten places of 0.1 s
    assert verdicts["main", "throughput"].evidence.value == pytest.approx(30, abs=4)
    assert verdicts["main", "fallback_retention"].verdict == "pass"
    assert verdicts["spare", "throughput"].verdict == "insufficient_evidence"
    assert found.tiers[0].candidate == "main"


def measured(workspace, manifest, project):
    """Keep a load measurement and a fallback check of the first candidate."""
    main, spare = manifest.candidates
    spec = project.scenarios[0].spec
    run = run_level(
        SimulatedServer(places=10, service=lambda _: 0.1),
        LoadShape(kind="poisson", rate=30, duration=60),
    )
    promise = ServiceLevel(latency=0.4)
    keep_load(
        workspace,
        LoadResult(
            project="sims",
            candidate="main",
            fingerprint=main.fingerprint,
            scenario="s",
            endpoint="e",
            created_at=NOW.isoformat(),
            befit_version="0",
            promise=promise,
            levels=(analyse_level(run, promise),),
            timelines=(timeline(run),),
            notes=(),
            execution=spec.execution_fingerprint(main.candidate.prompt),
        ),
    )
    edge = Edge(
        primary="main",
        fallback="spare",
        static=(),
        quality=fallback_quality(load_frame(workspace, manifest.id), "main", "spare"),
        primary_print=main.fingerprint,
        fallback_print=spare.fingerprint,
        run_id=manifest.id,
    )
    keep_edges(workspace, [edge], now=NOW)


def test_an_unknown_price_stays_unknown_through_to_the_decision_and_the_report(tmp_path):
    right = {name: {"s": shares(N, 0.97)} for name in ("free", "paid")}
    path = write_project(
        tmp_path,
        right,
        prices={"free": 1, "paid": 1},
        policy="gates: [{metric: pass_rate, floor: 0.8}]",
        module="sim_unpriced",
    )
    text = path.read_text()
    path.write_text(re.sub(r"    price: .*\n", "    price: null\n", text, count=1))
    with Workspace.open(tmp_path / ".befit") as workspace:
        run = run_project(load_project(path), workspace).manifest.id
        found = decide_run(workspace, run)
        document = make_document(workspace, run)
    free, paid = found.tiers[0].standings
    assert free.cost_per_task.value is None
    assert free.cost_per_success.value is None
    assert (free.front, free.front_chance) == ("unknown", None)
    assert paid.cost_per_task.value > 0
    assert found.tiers[0].candidate == "paid"  # an unknown price is not a price of 0
    assert any("price of free is unknown" in text for text in found.open_questions)
    page, numbers = render(document), to_json(document)
    assert "price of free is unknown" in page
    assert "$0 " not in page
    assert numbers["provenance"]["unknown_cost_calls"] == N


def test_one_candidate_alone_is_decided_shown_and_has_no_rank(tmp_path):
    right = {"only": {"s": shares(N, 0.97)}}
    with Workspace.open(tmp_path / ".befit") as workspace:
        _, run = ran(
            tmp_path, right, workspace=workspace, policy="gates: [{metric: pass_rate, floor: 0.8}]"
        )
        page = render(make_document(workspace, run))
    assert "Use only for all tasks; there is no fallback." in page
    assert "No two candidates have been compared" in page


def test_runs_without_a_scenario_in_common_are_told_apart_clearly(tmp_path):
    with Workspace.open(tmp_path / ".befit") as workspace:
        one = {"a": {"s": shares(20, 0.9)}, "b": {"s": shares(20, 0.9)}}
        other = {"a": {"t": shares(20, 0.9)}}
        _, first = ran(tmp_path / "w1", one, workspace=workspace)
        project, second = ran(tmp_path / "w2", other, workspace=workspace)
        with pytest.raises(UsageError, match="no scenario in common"):
            compare_candidates(workspace, run_a=first, run_b=second, a="a", b="a")
        frames = [load_frame(workspace, run) for run in (first, second)]
        with pytest.raises(UsageError, match="no scenario in common"):
            compare_frames(workspace, *frames, policy=project.policy)
        third = {"c": {"s": shares(20, 0.9)}}
        project, last = ran(tmp_path / "w3", third, workspace=workspace)
        with pytest.raises(UsageError, match="no candidate in common"):
            compare_frames(workspace, frames[0], load_frame(workspace, last), policy=project.policy)


JUDGES = """
import json, re

def bot(prompt):
    return "Please, " + prompt

def _verdict(request, word):
    code = re.search(r'the text "(\\w+)"', request.messages[0].text).group(1)
    return {"text": json.dumps({"reason": "r", "verdict": word, "code": code}),
            "usage": {"uncached_input": 1, "text_output": 1}}

def kind(request):
    return _verdict(request, "pass")

def stern(request):
    return _verdict(request, "fail")
"""
JUDGED = """
project: manners
candidates: [{{name: bot, target: function, model: "sim_judged:bot"}}]
scenarios:
  - name: numbers
    dimension: generation
    repeats: 1
    samples: [{{id: a, input: "Say 1"}}, {{id: b, input: "Say 2"}}]
    scorers: [{{judge: {{rubric: "The answer is polite."}}}}]
    judges: [{{name: j, target: function, model: "sim_judged:{judge}"}}]
"""


def test_a_changed_judge_is_refused_before_anything_is_asked(tmp_path):
    (tmp_path / "sim_judged.py").write_text(JUDGES)
    file = tmp_path / "befit.yaml"
    file.write_text(JUDGED.format(judge="kind"))
    with Workspace.open(tmp_path / ".befit") as workspace:
        run = run_project(load_project(tmp_path), workspace).manifest.id
        bless(workspace, run, name="baseline", by="x", note="", now=NOW)
        runs = len(workspace.runs())
        file.write_text(JUDGED.format(judge="stern"))
        changed = load_project(tmp_path)
        with pytest.raises(UsageError, match="the judges differ"):
            run_and_compare(changed, workspace, baseline="baseline")
        assert len(workspace.runs()) == runs
        common = run_and_compare(changed, workspace, baseline="baseline", across="common")
    assert common.outcome == "insufficient_evidence"
    assert "the scorers differ" in common.checks[0].note


def test_two_checks_of_one_baseline_never_run_at_once(tmp_path):
    right = {"bot": {"s": shares(20, 0.9)}}
    with Workspace.open(tmp_path / ".befit") as workspace:
        project, run = ran(tmp_path, right, workspace=workspace)
        bless(workspace, run, name="baseline", by="x", note="", now=NOW)
        runs = len(workspace.runs())
        with (
            workspace.hold("watch:baseline"),
            Workspace.open(tmp_path / ".befit") as second,
            pytest.raises(StoreError),
        ):
            watch(project, second, baseline="baseline", now=NOW)
        assert len(workspace.runs()) == runs
        assert watch(project, workspace, baseline="baseline", now=NOW).changed == ()


def test_watching_fires_where_the_configuration_is_another_than_the_baselines(tmp_path):
    right = {"bot": {"s": shares(20, 0.9)}}
    with Workspace.open(tmp_path / ".befit") as workspace:
        _, run = ran(tmp_path, right, workspace=workspace)
        bless(workspace, run, name="baseline", by="x", note="", now=NOW)
        file = tmp_path / "befit.yaml"
        file.write_text(file.read_text().replace("max_tokens: 200", "max_tokens: 150"))
        found = watch(load_project(file), workspace, baseline="baseline", now=NOW)
    assert any("another configuration" in text and "max_tokens" in text for text in found.changed)
    assert json.loads(json.dumps(found.changed))
