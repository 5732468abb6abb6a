"""What reviewers of a run read: the question in the scenario's words, answers that never came."""

from __future__ import annotations

import pytest

from befit.config.load import load_project
from befit.errors import UsageError
from befit.pipeline.reviewing import Wanted, create_from_run
from befit.pipeline.running import run_project
from befit.review import states
from befit.review.desk import Desk
from befit.review.packet import make_packet
from befit.review.people import invite
from befit.review.settings import Settings
from befit.storage.workspace import Workspace

AT = "2026-03-01T10:00:00+00:00"
CODE = """
def one(prompt):
    return "One to " + prompt.split()[-1]

def two(prompt):
    return "Two to " + prompt.split()[-1]

def mute(prompt):
    return ""

def silent(prompt):
    return "" if prompt.endswith("b?") else "Three to " + prompt.split()[-1]
"""
CANDIDATES = """
  - {name: one, target: function, model: "asking_code:one"}
  - name: two
    target: function
    model: "asking_code:two"
    prompt: {system: "SECRET system", shots: 1, templates: {"*": "OVERRIDE {input}"}}
"""
PROJECT = """
project: asking
candidates:{candidates}
scenarios:
  - name: capitals
    dimension: knowledge
    repeats: 1
    template: "In {{place}}: what is the capital of {{input}}?"
    examples: [{{input: EXAMPLE, output: SHOWN}}]
    samples:
{samples}
    scorers: [{{match: {{}}}}]
"""


@pytest.fixture
def reviewing(tmp_path, monkeypatch):
    """Return a function from candidates and samples to a study of them, and a reviewer of it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "asking_code.py").write_text(CODE)
    with Workspace.open(tmp_path / ".befit") as workspace:

        def made(samples, described=CANDIDATES, **settings):
            text = PROJECT.format(samples=samples, candidates=described)
            (tmp_path / "befit.yaml").write_text(text)
            run = run_project(load_project(tmp_path / "befit.yaml"), workspace).manifest.id
            given = Settings(calibration=0, attention=0, guess=0, **settings)
            study = create_from_run(workspace, run, Wanted(settings=given), at=AT, by="o").study
            states.open_study(workspace.reviews, study.id, at=AT, by="o")
            _, token = invite(workspace.reviews, study.id, name="Ann", group="real_user", at=AT)
            desk = Desk(workspace.reviews, study.id)
            return study, desk, desk.enter(token)

        made.reviews = workspace.reviews
        yield made


MORE = "vars: {place: Europe}, target: Berlin"
SAMPLE = f"      - {{id: s1, input: Germany, {MORE}}}"
ASKED = "In Europe: what is the capital of Germany?"


def test_the_question_is_what_the_scenarios_template_makes_of_the_sample(reviewing):
    _, desk, ann = reviewing(SAMPLE)
    shown = desk.next_item(ann)
    assert {side.turns[0].user for side in (shown.left, shown.right)} == {ASKED}
    told = repr(shown)
    assert not any(word in told for word in ("OVERRIDE", "SECRET", "EXAMPLE"))


def test_a_packet_shows_the_same_question(reviewing):
    study, _, ann = reviewing(SAMPLE)
    page = make_packet(reviewing.reviews, study.id, ann, items=1)
    assert ASKED in page
    assert "OVERRIDE" not in page


def test_a_conversation_begins_with_the_question_in_the_scenarios_words(reviewing):
    turns = "[{user: Germany}, {user: And of France?}]"
    _, desk, ann = reviewing(
        f"      - {{id: s1, turns: {turns}, vars: {{place: Europe}}, target: x}}"
    )
    shown = desk.next_item(ann)
    for side in (shown.left, shown.right):
        assert [turn.user for turn in side.turns] == [ASKED, "And of France?"]
        assert all(turn.answer for turn in side.turns)


def test_messages_given_as_input_are_shown_with_who_said_them(reviewing):
    said = "[{role: user, content: Hi}, {role: assistant, content: Hello}, "
    said += "{role: user, content: Germany}]"
    _, desk, ann = reviewing(
        f"      - {{id: s1, input: {said}, vars: {{place: Europe}}, target: x}}"
    )
    shown = desk.next_item(ann)
    wanted = f"User: Hi\n\nAssistant: Hello\n\nUser: {ASKED}"
    assert {side.turns[0].user for side in (shown.left, shown.right)} == {wanted}


THREE = (
    CANDIDATES
    + """  - {name: silent, target: function, model: "asking_code:silent"}
  - {name: mute, target: function, model: "asking_code:mute"}
"""
)
SAMPLES = f"""      - {{id: s1, input: a, {MORE}}}
      - {{id: s2, input: b, {MORE}}}"""


def test_an_answer_that_never_came_is_shown_and_can_lose(reviewing):
    only = ("one", "silent")
    study, desk, ann = reviewing(SAMPLES, THREE, candidates=only)
    assert study.n_pairs == 2
    assert study.left_out == {}
    shown = [desk.next_item(ann)]
    desk.vote(ann, shown[0].token, {"verdict": "left", "active_seconds": 20.0, "comment": "c"},
              request_id="r")  # fmt: skip
    shown.append(desk.next_item(ann))
    said = sorted(side.turns[0].answer for one in shown for side in (one.left, one.right))
    assert said == ["", "One to a?", "One to b?", "Three to a?"]


def test_pairs_in_which_nobody_answered_are_counted(reviewing):
    study, _, _ = reviewing(SAMPLES, THREE, candidates=("mute", "silent"))
    assert study.n_pairs == 1
    assert study.left_out == {"neither side answered": 1}
    only = SAMPLES.splitlines()[1]
    with pytest.raises(UsageError) as error:
        reviewing(only, THREE, candidates=("mute", "silent"))
    assert "1 pair fell away: neither side answered" in error.value.why
