"""People review a run: what they read, what their votes are set against, who may gate."""

from __future__ import annotations

import base64

import pytest

from befit.config.load import load_project
from befit.pipeline.deciding import evidence_beside
from befit.pipeline.reporting import make_document
from befit.pipeline.review_results import (
    calibrate_judge,
    people_result,
    results_of_run,
    uncalibrated_judges,
)
from befit.pipeline.reviewing import Wanted, create_from_run
from befit.pipeline.running import run_project
from befit.review import states
from befit.review.desk import Desk, load_pool
from befit.review.pages import Halt
from befit.review.people import invite
from befit.review.records import Ballot, Held
from befit.review.settings import Settings
from befit.storage.workspace import Workspace
from review_ground import png

AT = "2026-03-01T10:00:00+00:00"
SAMPLES = 16
CODE = """
import json, re

def polite(prompt):
    return "Please, number " + prompt.split()[-1]

def rude(prompt):
    return "Take number " + prompt.split()[-1]

def _verdict(request, ok):
    code = re.search(r'the text "(\\w+)"', request.messages[0].text).group(1)
    word = "pass" if ok else "fail"
    return {"text": json.dumps({"reason": "r", "verdict": word, "code": code})}

def _answer(request):
    text = request.messages[1].text
    return re.search(r"<<answer \\w+>>\\n(.*?)\\n<<end", text, re.S).group(1)

def strict(request):
    return _verdict(request, "Please" in _answer(request))

def contrary(request):
    return _verdict(request, "Please" not in _answer(request))

def swayed(request):
    # the polite answer, but on every fourth number whatever stands first
    text = request.messages[1].text
    code = re.search(r'the text "(\\w+)"', request.messages[0].text).group(1)
    first, second = (re.search(rf"<<{name} answer \\w+>>\\n(.*?)\\n<<end", text, re.S).group(1)
                     for name in ("first", "second"))
    by_place = int(first.split()[-1]) % 4 == 0
    word = "first" if by_place or "Please" in first else "second"
    return {"text": json.dumps({"reason": "r", "verdict": word, "code": code})}
"""
PROJECT = """
project: manners
candidates:
  - {{name: polite, target: function, model: "review_code:polite"}}
  - {{name: rude, target: function, model: "review_code:rude"}}
scenarios:
  - name: numbers
    dimension: generation
    repeats: 1
    template: "Do this now. {{input}}"
    samples:
{samples}
    scorers: [{{judge: {{rubric: "The answer is polite."}}}}]
    judges: [{{name: j, target: function, model: "review_code:{judge}"}}]
"""


@pytest.fixture
def judged(tmp_path, monkeypatch):
    """A run with a judge that people agree with, and one with a contrary one."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "review_code.py").write_text(CODE)
    samples = "\n".join(f'      - {{id: s{n}, input: "Say {n}"}}' for n in range(SAMPLES))
    runs = {}
    with Workspace.open(tmp_path / ".befit") as workspace:
        for judge in ("strict", "contrary"):
            (tmp_path / "befit.yaml").write_text(PROJECT.format(judge=judge, samples=samples))
            project = load_project(tmp_path / "befit.yaml")
            runs[judge] = run_project(project, workspace).manifest.id
        yield workspace, runs


def voted(workspace, run_id):
    """Return the study of a run in which both reviewers prefer the polite answer; still open."""
    settings = Settings(pairs=SAMPLES, per_pair=2, calibration=0, guess=0, explain=0, gold=0,
                        attention=0, mirrored=0)  # fmt: skip
    made = create_from_run(workspace, run_id, Wanted(settings=settings), at=AT, by="owner")
    states.open_study(workspace.reviews, made.study.id, at=AT, by="owner")
    for name in ("Ann", "Ben"):
        _, token = invite(workspace.reviews, made.study.id, name=name, group="real_user", at=AT)
        desk = Desk(workspace.reviews, made.study.id)
        who = desk.enter(token)
        while not isinstance(shown := desk.next_item(who), Halt):
            left = "Please" in shown.left.turns[0].answer
            ballot = Ballot(verdict="left" if left else "right", active_seconds=20.0)
            desk.vote(who, shown.token, ballot, request_id=shown.token)
    return made.study


def opened(workspace, study):
    states.close(workspace.reviews, study.id, at=AT, by="owner")
    return states.unblind(workspace.reviews, study.id, at=AT, by="owner")


def test_reviewers_read_what_the_scenario_asks_of_everybody(judged):
    workspace, runs = judged
    settings = Settings(calibration=0, attention=0, guess=0)
    made = create_from_run(workspace, runs["strict"], Wanted(settings=settings), at=AT, by="o")
    pool = load_pool(workspace.reviews, made.study.id)
    assert len(pool.work) == SAMPLES
    held = [Held.model_validate(body)
            for body in workspace.reviews.parts(made.study.id, "answer").values()]  # fmt: skip
    questions = {one.turns[0].text for one in held}
    assert questions == {f"Do this now. Say {n}" for n in range(SAMPLES)}


def test_pictures_that_an_answer_drew_into_its_text_are_shown_as_pictures(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    body = base64.b64encode(png(b"made by polite")).decode()
    code = CODE.replace('"Please, number "', f'"Please ![a dot](data:image/png;base64,{body}) "')
    (tmp_path / "drawing_code.py").write_text(code)
    text = PROJECT.format(judge="strict", samples='      - {id: s1, input: "Say 1"}')
    (tmp_path / "befit.yaml").write_text(text.replace("review_code:", "drawing_code:"))
    with Workspace.open(tmp_path / ".befit") as workspace:
        run = run_project(load_project(tmp_path / "befit.yaml"), workspace).manifest.id
        settings = Settings(calibration=0, attention=0, guess=0)
        made = create_from_run(workspace, run, Wanted(settings=settings), at=AT, by="o")
        states.open_study(workspace.reviews, made.study.id, at=AT, by="o")
        _, token = invite(workspace.reviews, made.study.id, name="Ann", group="real_user", at=AT)
        desk = Desk(workspace.reviews, made.study.id)
        ann = desk.enter(token)
        shown = desk.next_item(ann)
        drew, plain = sorted((shown.left, shown.right), key=lambda one: not one.turns[0].drawn)
        assert drew.turns[0].answer == "Please [picture 1] 1"
        assert plain.turns[0].drawn == ()
        media = desk.media(ann, shown.token, drew.turns[0].drawn[0].token)
        assert media.body.startswith(b"\x89PNG")
        assert b"polite" not in media.body


def test_a_judge_gates_nothing_until_people_have_agreed_with_it(judged):
    workspace, runs = judged
    manifest = workspace.manifest(runs["strict"])
    place = ("judge", "numbers", "polite")
    doubted = uncalibrated_judges(manifest, results_of_run(workspace, manifest.id))
    assert doubted[place].value is None
    study = voted(workspace, runs["strict"])
    doubted = uncalibrated_judges(manifest, results_of_run(workspace, manifest.id))
    assert place in doubted  # closed eyes see nothing
    result = people_result(workspace, *opened(workspace, study))
    (judge,) = [one for one in result.judges if one.judge == "judge"]
    assert judge.agreement.value == 1.0
    assert judge.human_human.value == 1.0
    assert judge.may_gate
    assert place not in uncalibrated_judges(manifest, results_of_run(workspace, manifest.id))
    beside = evidence_beside(workspace, manifest)
    assert place not in beside
    assert beside["human_win_rate", "numbers", "polite"].value == 1.0
    (score,) = [one for one in result.automatic if one.metric == "judge"]
    assert (score.agreement.value, score.silent.value, score.n_disagreements) == (1.0, 0.0, 0)


def test_a_judge_that_sets_pairs_is_told_how_often_the_order_decides(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "review_code.py").write_text(CODE)
    samples = "\n".join(f'      - {{id: s{n}, input: "Say {n}"}}' for n in range(SAMPLES))
    text = PROJECT.format(judge="swayed", samples=samples)
    options = "{mode: pairwise, against: rude, rubric: Politeness.}"
    text = text.replace('{rubric: "The answer is polite."}', options)
    (tmp_path / "befit.yaml").write_text(text)
    with Workspace.open(tmp_path / ".befit") as workspace:
        run = run_project(load_project(tmp_path / "befit.yaml"), workspace).manifest.id
        result = people_result(workspace, *opened(workspace, voted(workspace, run)))
    (judge,) = [one for one in result.judges if one.judge == "judge_preference"]
    # four of sixteen pairs change with the order, each time for the first place
    assert judge.flip_rate.value == 4 / SAMPLES
    assert judge.first_p == pytest.approx(2 * 0.5**4)
    # a pair that changes is a tie, on which nobody of the people agrees
    assert judge.agreement.value == 12 / SAMPLES
    assert judge.human_human.value == 1.0
    assert {name for name, _ in judge.corrected} == {"polite", "rude"}


def test_a_judge_that_disagrees_stays_uncalibrated_and_the_report_says_so(judged):
    workspace, runs = judged
    opened(workspace, voted(workspace, runs["contrary"]))
    (result,) = results_of_run(workspace, runs["contrary"])
    assert [one.may_gate for one in result.judges] == [False]
    document = make_document(workspace, runs["contrary"])
    texts = [finding.text for finding in document.analysis.findings]
    assert any(text.startswith("Uncalibrated judge: judge agrees") for text in texts)
    assert document.people[0].study.id == result.study.id


def test_an_unfinished_study_stands_under_what_could_change_this(judged):
    workspace, runs = judged
    study = voted(workspace, runs["strict"])
    document = make_document(workspace, runs["strict"])
    assert document.people == ()
    texts = [finding.text for finding in document.analysis.findings]
    assert f"Review study {study.id} is open: its votes do not count yet." in texts


def test_the_wording_that_agrees_is_proposed_and_told_on_the_other_half(judged):
    workspace, runs = judged
    study, _ = opened(workspace, voted(workspace, runs["strict"]))
    found = calibrate_judge(
        workspace, study, wordings={name: (run, "judge") for name, run in runs.items()}
    )
    told = {one.name: (one.proposed, one.reported_on.value) for one in found}
    assert told == {"strict": (True, 1.0), "contrary": (False, 0.0)}
