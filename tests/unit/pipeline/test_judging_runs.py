"""Judges of a project: a run of their own, verdicts read from the store, nothing paid twice."""

from __future__ import annotations

from pathlib import Path

import pytest

from befit.config.load import load_project
from befit.errors import ConfigError
from befit.pipeline.judge_reliability import judge_report
from befit.pipeline.planning import plan_project
from befit.pipeline.rescoring import rescore_run
from befit.pipeline.running import run_project
from befit.storage.workspace import Workspace
from cli_ground import befit

CODE = """
import json, re
from pathlib import Path

CALLS = Path(__file__).with_name("calls.txt")

def polite(prompt):
    return "Please, number " + prompt.split()[-1]

def rude(prompt):
    return "Take number " + prompt.split()[-1]

def _verdict(request, word):
    with CALLS.open("a") as file:
        file.write("call\\n")
    code = re.search(r'the text "(\\w+)"', request.messages[0].text).group(1)
    return {
        "text": json.dumps({"reason": "r", "verdict": word, "code": code}),
        "usage": {"uncached_input": 100, "text_output": 10},
    }

def strict(request):
    answer = re.search(r"<<answer \\w+>>\\n(.*?)\\n<<end", request.messages[1].text, re.S).group(1)
    return _verdict(request, "pass" if "Please" in answer else "fail")

def mute(request):
    with CALLS.open("a") as file:
        file.write("call\\n")
    return "I would rather not say."
"""

PROJECT = """
project: manners
candidates:
  - {{name: polite, target: function, model: "manners_code:polite"}}
  - {{name: rude, target: function, model: "manners_code:rude"}}
scenarios:
  - name: numbers
    dimension: generation
    repeats: 1
    samples:
      - {{id: a, input: "Say 1"}}
      - {{id: b, input: "Say 2"}}
      - {{id: c, input: "Say 3"}}
    scorers:
      - judge: {{rubric: "The answer is polite."}}
    judges:
{judges}
"""
STRICT = (
    '      - {name: strict, target: function, model: "manners_code:strict",'
    " price: {input: 1, output: 1}}"
)
MUTE = '      - {name: mute, target: function, model: "manners_code:mute"}'


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "manners_code.py").write_text(CODE)
    monkeypatch.delitem(__import__("sys").modules, "manners_code", raising=False)
    return tmp_path


def project(folder, judges=STRICT):
    (folder / "befit.yaml").write_text(PROJECT.format(judges=judges))
    return load_project(folder)


def calls(folder):
    file = folder / "calls.txt"
    return len(file.read_text().splitlines()) if file.exists() else 0


def passed(store, run_id):
    return {(f.candidate, f.sample_id): f.passed for f in store.facts(run_id)}


def test_judges_are_asked_after_the_run_and_their_verdicts_become_the_scores(folder):
    loaded = project(folder)
    with Workspace.open(folder / ".befit") as store:
        ran = run_project(loaded, store)
        found = passed(store, ran.manifest.id)
        assert {key: value for key, value in found.items() if key[0] == "polite"} == {
            ("polite", sample): 1.0 for sample in "abc"
        }
        assert {value for key, value in found.items() if key[0] == "rude"} == {0.0}
        judging = ran.judging
        assert judging.manifest.judges_run == ran.manifest.id
        facts = list(store.facts(judging.manifest.id))
        first = [fact for fact in facts if fact.scenario == "numbers"]
        again = [fact for fact in facts if fact.scenario == "numbers again"]
        # Six answers are judged once, and once more for the self-agreement.
        assert (len(first), len(again), calls(folder)) == (6, 12, 12)
        assert sum(fact.reused for fact in again) == 6
        # 110 tokens a call at 1 USD per million; the candidates' own cost is untouched.
        assert float(judging.outcome.spent) == pytest.approx(12 * 110e-6)
        assert all(fact.cost is None for fact in store.facts(ran.manifest.id))
        assert store.find_run("latest").id == ran.manifest.id


def test_a_judge_among_the_checks_of_one_sample_is_asked_about_that_sample(folder):
    text = PROJECT.format(judges=STRICT).replace(
        '    scorers:\n      - judge: {rubric: "The answer is polite."}\n', ""
    )
    own = '{id: b, input: "Say 2", checks: [{judge: {rubric: "The answer is polite."}}]}'
    (folder / "befit.yaml").write_text(text.replace('{id: b, input: "Say 2"}', own))
    loaded = load_project(folder)
    bound = {w.code: w.text for w in plan_project(loaded, None).plan.warnings}["judge_calls"]
    with Workspace.open(folder / ".befit") as store:
        ran = run_project(loaded, store)
        found = passed(store, ran.manifest.id)
    assert (found["polite", "b"], found["rude", "b"], found["polite", "a"]) == (1.0, 0.0, None)
    # Two answers, each asked about twice: the bound of the plan is what it took.
    assert calls(folder) == 4
    assert bound.startswith("up to 4 questions")


def test_the_same_command_and_scoring_again_ask_no_judge_twice(folder):
    loaded = project(folder)
    with Workspace.open(folder / ".befit") as store:
        ran = run_project(loaded, store)
        before = calls(folder)
        again = run_project(loaded, store)
        assert again.judging.outcome is None
        rescore_run(loaded, store, ran.manifest.id)
        assert calls(folder) == before
        assert set(passed(store, ran.manifest.id).values()) == {0.0, 1.0}


def test_a_judge_whose_calls_fail_is_told_and_the_run_is_partial(folder):
    broken = STRICT.replace("manners_code:strict", "manners_code:broken")
    code = (folder / "manners_code.py").read_text()
    fails = "def broken(request):\n    raise RuntimeError('it fell over')\n"
    (folder / "manners_code.py").write_text(f"{code}\n{fails}")
    project(folder, broken)
    ended = befit("run", folder, "--yes")
    assert ended.code == 5
    assert "questions to judges failed (target_error" in ended.err


def test_replies_that_are_no_verdict_are_unscored_and_counted(folder):
    with Workspace.open(folder / ".befit") as store:
        ran = run_project(project(folder, MUTE), store)
        rows = list(store.scores(ran.manifest.id, whole_only=True))
        assert {r.label for r in rows if r.name == "judge"} == {"no_verdict"}
        assert {r.value for r in rows if r.name == "judge_parsed"} == {0.0}
        assert set(passed(store, ran.manifest.id).values()) == {None}


def test_a_judges_fingerprint_is_part_of_the_scores_version(folder):
    def versions(judges, at):
        with Workspace.open(folder / at) as store:
            ran = run_project(project(folder, judges), store)
            return {
                score.version
                for fact in store.facts(ran.manifest.id)
                for score in store.score_details(
                    ran.manifest.id, fact.candidate, fact.scenario, fact.sample_id, "", 0
                )
                if score.name == "judge"
            }

    warm = STRICT.replace('strict",', 'strict", sampling: {temperature: 0.5},')
    assert versions(STRICT, "one") != versions(warm, "two")


def test_a_candidate_never_judges_itself_unless_that_is_asked(folder):
    own = '      - {name: judge, target: function, model: "manners_code:rude"}'
    loaded = project(folder, own)
    with Workspace.open(folder / ".befit") as store:
        with pytest.raises(ConfigError, match="same model"):
            run_project(loaded, store)
        assert store.runs() == []
        asked = project(folder, f"{own}\n    judge_itself: true")
        assert run_project(asked, store).judging is not None


def test_a_judges_key_is_in_no_manifest(folder):
    secret = STRICT.replace("price:", "api_key: sk-very-secret, price:")
    with Workspace.open(folder / ".befit") as store:
        ran = run_project(project(folder, secret), store)
        manifests = [m.model_dump_json() for m, _ in store.runs()]
        assert ran.judging is not None
        # The key, which the stored run lacks, makes no other judge: it is judged as it was.
        assert store.manifest(ran.manifest.id).amendments == ()
    assert len(manifests) == 2
    assert not any("sk-very-secret" in text for text in manifests)
    files = [f for f in Path(folder / ".befit").rglob("*") if f.is_file()]
    assert not any(b"sk-very-secret" in f.read_bytes() for f in files)


def test_several_judges_decide_by_majority(folder):
    two = STRICT.replace("name: strict", "name: second").replace(
        'strict",', 'strict", sampling: {temperature: 0.3},'
    )
    with Workspace.open(folder / ".befit") as store:
        ran = run_project(project(folder, f"{STRICT}\n{two}\n{MUTE}"), store)
        rows = list(store.scores(ran.manifest.id))
        assert {r.value for r in rows if r.name == "judge_parsed"} == {2 / 3}
        assert {r.value for r in rows if r.name == "judge_agreement"} == {1.0}
        assert set(passed(store, ran.manifest.id).values()) == {0.0, 1.0}
        parts = {r.part for r in rows if r.name == "judge_verdict"}
        assert {"judge 1: rubric", "judge 3: rubric"} <= parts


def test_the_reliability_of_judges_and_their_cost_stand_apart(folder):
    with Workspace.open(folder / ".befit") as store:
        ran = run_project(project(folder), store)
        labels = {"numbers": {("polite", "a", 0): 1.0, ("polite", "b", 0): 0.0}}
        report = judge_report(store, ran.manifest.id, labels=labels)
    (judge,) = report.judges
    parsed = judge.parsed  # 2 answers to each of 3 samples
    assert (parsed.value, parsed.n_samples, parsed.n_trials) == (1.0, 3, 6)
    assert (judge.self_agreement.value, judge.self_agreement.n_samples) == (1.0, 6)
    assert judge.flip_rate.value is None
    assert (report.calls, report.input_tokens, report.output_tokens) == (12, 1200, 120)
    assert report.spent == pytest.approx(12 * 110e-6)
    rate = report.corrected["numbers", "strict"]["polite"]
    assert (rate.value, rate.n_samples) == (0.5, 3)  # a judge that never varies has no weight


@pytest.mark.parametrize("name", ["mute", "strict"])
def test_a_judge_is_asked_about_its_own_scenario_alone_whatever_it_is_called(folder, name):
    other = PROJECT.format(judges=MUTE.replace("name: mute", f"name: {name}"))
    _, _, second = other.partition("scenarios:\n")
    second = second.replace("name: numbers", "name: others").replace("Say ", "Speak ")
    (folder / "befit.yaml").write_text(PROJECT.format(judges=STRICT) + second)
    loaded = load_project(folder)
    with Workspace.open(folder / ".befit") as store:
        ran = run_project(loaded, store)
        run_id = ran.manifest.id
        found = {f.scenario: f.passed for f in store.facts(run_id) if f.candidate == "polite"}
        report = judge_report(store, run_id)
        again = run_project(loaded, store)
    assert found == {"numbers": 1.0, "others": None}
    # Six answers in each scenario, each asked about twice by its own judge.
    assert calls(folder) == report.calls == 24
    assert (ran.judging.outcome.ok, ran.judging.outcome.status) == (36, "complete")
    assert float(ran.judging.outcome.spent) == pytest.approx(12 * 110e-6)
    assert [(one.scenario, one.parsed.value) for one in report.judges] == [
        ("numbers", 1.0),
        ("others", 0.0),
    ]
    assert again.judging.outcome is None
