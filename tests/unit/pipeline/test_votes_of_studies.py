"""Several studies on one run, and votes made elsewhere: what counts in gates and in the record."""

from __future__ import annotations

import pytest

from befit.config.load import load_project
from befit.core.policy import Gate, Policy
from befit.errors import UsageError
from befit.pipeline.bringing_votes import origin_of, run_of_votes
from befit.pipeline.deciding import decide_run, evidence_beside
from befit.pipeline.reporting import make_document
from befit.pipeline.review_results import results_of_run
from befit.pipeline.running import run_project
from befit.report import html
from befit.report.decision_votes import beside_decision, votes_behind
from befit.review import states
from befit.review.elsewhere import bring_votes, read_told
from befit.review.settings import Settings
from befit.storage.workspace import Workspace

AT = "2026-03-01T10:00:00+00:00"
N = 20
CODE = """
def kind(prompt):
    return "Dear friend, " + prompt

def curt(prompt):
    return prompt
"""
PROJECT = """
project: letters
candidates:
  - {{name: kind, target: function, model: "letter_code:kind"}}
  - {{name: curt, target: function, model: "letter_code:curt"}}
scenarios:
  - name: letters
    dimension: generation
    repeats: 1
    template: "{{input}}"
    samples:
{samples}
policy:
  tier_floors: false
  gates: [{{metric: human_win_rate, floor: 0.5}}]
"""


@pytest.fixture
def run(tmp_path, monkeypatch):
    """A run of an open-ended scenario without any scorer."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "letter_code.py").write_text(CODE)
    samples = "\n".join(f'      - {{id: s{n}, input: "Write letter {n}"}}' for n in range(N))
    (tmp_path / "befit.yaml").write_text(PROJECT.format(samples=samples))
    with Workspace.open(tmp_path / ".befit") as workspace:
        yield workspace, run_project(load_project(tmp_path / "befit.yaml"), workspace).manifest.id


def votes(wins, *, people, n=N):
    """Rows of a table; every person prefers `kind` on the first `wins` of n samples."""
    return [
        {"sample": f"s{i}", "left": "kind", "right": "curt",
         "winner": "left" if i < wins else "right", "reviewer": who, "group": "real_user"}
        for who in people for i in range(n)
    ]  # fmt: skip


def bring(workspace, rows, *, run_id=None, **settings):
    """Bring votes made elsewhere in, and unblind them."""
    manifest, told = run_of_votes(workspace, read_told(rows, file="v"), run_id=run_id)
    made = bring_votes(
        workspace.reviews, told, Settings(calibration=0, **settings), file="v", at=AT, by="o",
        run=None if manifest is None else origin_of(workspace, manifest, told),
    )  # fmt: skip
    states.unblind(workspace.reviews, made.study.id, at=AT, by="o")
    return made.study


def win_rate(workspace, run_id):
    beside = evidence_beside(workspace, workspace.manifest(run_id))
    return beside["human_win_rate", "letters", "kind"]


def test_votes_made_elsewhere_reach_the_decision_of_the_run_they_are_about(run):
    workspace, run_id = run
    study = bring(workspace, votes(19, people=["Ann", "Ben", "Cem"]))
    assert study.run_id == run_id
    decision = decide_run(workspace, run_id)
    tier = decision.tiers[0]
    assert (tier.outcome, tier.candidate, tier.by_people) == ("decided", "kind", True)
    (told,) = decision.people_votes
    assert (told.study, told.votes, told.people) == (study.id, 60, 3)
    assert told.counted
    assert told.elsewhere
    (result,) = results_of_run(workspace, run_id)
    assert any("made elsewhere" in text for text in result.warnings)


def test_a_second_study_is_pooled_with_the_first(run):
    workspace, run_id = run
    first = bring(workspace, votes(18, people=["Ann", "Ben", "Cem"]))
    alone = win_rate(workspace, run_id)
    assert alone.value == pytest.approx(0.9)  # 54 of 60
    second = bring(workspace, votes(6, people=["Ann", "Dora"], n=8))
    both = win_rate(workspace, run_id)
    assert both.value == pytest.approx((54 + 12) / 76)
    assert (both.n_samples, both.n_trials) == (N, 76)  # the same twenty pairs, not 28
    assert "2 studies pooled" in both.method
    told = {
        one.study: (one.votes, one.counted) for one in decide_run(workspace, run_id).people_votes
    }
    assert told == {first.id: (60, True), second.id: (16, True)}


def test_a_study_of_one_person_twice_is_one_person(run):
    workspace, run_id = run
    bring(workspace, votes(15, people=["Ann", "Ben"]))
    bring(workspace, votes(15, people=["Ann", "Ben"]))
    repeated = win_rate(workspace, run_id)
    single = results_of_run(workspace, run_id)[0].gates["human_win_rate", "letters", "kind"]
    assert repeated.value == single.value
    # the same people on the same samples: twice the votes are no more evidence
    assert repeated.high - repeated.low == pytest.approx(single.high - single.low, rel=0.05)


def test_votes_of_other_samples_belong_to_no_run(run):
    workspace, run_id = run
    rows = [{**row, "sample": "zz"} for row in votes(1, people=["Ann"], n=1)]
    manifest, _ = run_of_votes(workspace, read_told(rows, file="v"), run_id=None)
    assert manifest is None
    with pytest.raises(UsageError, match="sample 'zz'"):
        run_of_votes(workspace, read_told(rows, file="v"), run_id=run_id)


def test_a_candidate_the_run_does_not_have_is_named(run):
    workspace, run_id = run
    rows = [{**row, "right": "other"} for row in votes(1, people=["Ann"], n=1)]
    with pytest.raises(UsageError, match="candidate 'other'"):
        run_of_votes(workspace, read_told(rows, file="v"), run_id=run_id)


@pytest.mark.parametrize("wins", [11, 14, 16, 18])
def test_a_decision_on_one_study_tells_apart_whom_the_study_does(run, wins):
    workspace, run_id = run
    bring(workspace, votes(wins, people=["Ann", "Ben", "Cem"]))
    (result,) = results_of_run(workspace, run_id)
    decision = decide_run(workspace, run_id)
    tier = decision.tiers[0]
    own = {one.candidate: one.letters for one in result.preference.strengths}
    assert {one.candidate: one.letters for one in tier.standings} == own
    apart = len(set(own.values())) == len(own)
    if tier.candidate == "kind":
        assert ("than every other" in tier.reason) == apart
        assert ("cannot be told from curt" in tier.reason) != apart
    assert f"60 votes of people, of study {result.study.id}" in votes_behind(decision, tier)
    assert beside_decision(decision, result) == ""


def test_a_study_says_where_the_decision_pools_more_than_it(run):
    workspace, run_id = run
    first = bring(workspace, votes(18, people=["Ann", "Ben", "Cem"]))
    second = bring(workspace, votes(4, people=["Dora"], n=8))
    decision = decide_run(workspace, run_id)
    told = votes_behind(decision, decision.tiers[0])
    assert "68 votes of people, of 2 studies" in told
    assert f"{first.id} (60)" in told
    assert f"{second.id} (8)" in told
    for result in results_of_run(workspace, run_id):
        said = beside_decision(decision, result)
        assert "pools more than this study" in said
        assert "letters: kind a, curt b" in said


def test_a_run_that_people_alone_judged_says_what_they_found_and_asks_for_no_score(run):
    workspace, run_id = run
    before = make_document(workspace, run_id)
    assert "Review by people" not in " ".join(before.conclusion)
    bring(workspace, votes(18, people=["Ann", "Ben", "Cem"]))
    document = make_document(workspace, run_id)
    said = " ".join(document.conclusion)
    assert "judged by people, see Review by people. People prefer kind (60 votes" in said
    assert "not measured" not in document.conclusion[0]
    told = " ".join(f"{one.text} {one.do}" for one in document.analysis.findings)
    assert "not compared" not in told
    assert "run the same command again" not in told
    page = html.render(document)
    assert '<a href="#people">Review by people</a>' in page
    assert "No score ranks the candidates." in page
    assert "No two candidates have been compared" not in page
    assert "60 votes of people, of study" in page


def test_a_study_without_a_rubric_that_counts_is_not_called_not_reviewed(run):
    workspace, run_id = run
    study = bring(workspace, votes(18, people=["Ann", "Ben"]))
    policy = Policy(gates=(Gate(metric="human_rubric", floor=0.5),), tier_floors=False)
    decision = decide_run(workspace, run_id, policy=policy)
    told = {v.evidence.method for v in decision.verdicts if v.gate.metric == "human_rubric"}
    (why,) = told
    assert why.startswith(f"review study {study.id} has no rubric on it that counts")
    # what it did tell still counts
    assert win_rate(workspace, run_id).value == pytest.approx(0.9)
