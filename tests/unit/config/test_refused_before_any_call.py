"""What could only fail after calls were paid for is refused at once, before any call is made."""

from __future__ import annotations

import base64

import pytest

from befit.config.load import load_project
from befit.datasets.files_pictures import broken, broken_url
from befit.errors import ProjectError

PROJECT = """\
project: talks
candidates:
  - {name: a, target: openai, model: m}
scenarios:
  - name: desk
    dimension: tool-calling
    tools:
      - {name: get, parameters: {type: object, properties: {id: {type: string}}}}
      - {name: put}
    world: {results: {get: [{result: 1}]}, actions: {put: {op: create, table: t}}}
    scorers: [tool_calls, {judge: {mode: pairwise, against: a}}]
    judges: [{name: j, target: openai, model: other}]
    caps: {turns: 3}
    samples:
      - id: t
        turns:
          - {user: Hello, constraints: {polite: {match: {contains: please}}}}
          - {user: Why?, branches: [{when: "no", user: Why not?}]}
          - {user: Bye, lifts: [polite], checks: [{recovery: {turn: 3}}]}
        tools: [{name: own, parameters: {type: object}}]
        world: {results: {own: [{result: 2}]}}
        attachments: [one.png]
        target: []
"""
PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5E"
    "rkJggg=="
)


def load(folder, text, picture=PIXEL):
    (folder / "one.png").write_bytes(picture)
    (folder / "befit.yaml").write_text(text, "utf-8")
    return load_project(folder, environment={})


SLIPS = {
    "tools of one name": ("{name: put}", "{name: get}", "two tools are called 'get'"),
    "tools of one name in a sample": (
        "tools: [{name: own,", "tools: [{name: own}, {name: own,", "two tools are called 'own'",
    ),
    "schema of a tool": ("id: {type: string}", "id: {type: strnig}", "no usable JSON Schema"),
    "schema that is no object": (
        "{name: own, parameters: {type: object}}", "{name: own, parameters: {type: array}}",
        "parameters of tool 'own' are of type 'array', not an object",
    ),
    "results without a tool": ("{results: {get:", "{results: {gte:", "did you mean 'get'?"),
    "actions without a tool": ("actions: {put:", "actions: {pull:", "actions for the tool 'pull'"),
    "results without a tool in a sample": (
        "{results: {own:", "{results: {owm:", "results for the tool 'owm', which is not offered",
    ),
    "target of another form": ("target: []", "target: {cals: []}", "unknown key 'cals'"),
    "call of no tool": ("target: []", "target: [{name: gte}]", "did you mean 'get'?"),
    "lifted, never stated": ("lifts: [polite]", "lifts: [rude]", "in force: polite"),
    "lifted twice": (
        'branches: [{when: "no", user: Why not?}]', "lifts: [polite]", "in force: none",
    ),
    "empty turn": ("user: Why?", 'user: " "', "turns[1].user the user says nothing"),
    "empty branch": ("user: Why not?", 'user: ""', "says nothing in this branch"),
    "objection beyond the end": (
        "{turn: 3}", "{turn: 9}", "recovery looks at turn 9, and there are 3 turns by then",
    ),
    "objection before the turn": (
        "branches:", "checks: [{recovery: {turn: 3}}], branches:",
        "recovery looks at turn 3, and there are 2 turns by then",
    ),
    "more turns than the cap": ("{turns: 3}", "{turns: 2}", "set caps: {turns: 3}"),
    "judges nobody asks": (
        "scorers: [tool_calls, {judge: {mode: pairwise, against: a}}]", "scorers: [tool_calls]",
        "the judges of 'desk' are never asked",
    ),
    "nobody to ask": (
        "    judges: [{name: j, target: openai, model: other}]\n", "", "has nobody to ask",
    ),
    "two judges of one name": (
        "[{name: j, target: openai, model: other}]",
        "[{name: j, target: openai, model: other}, {name: j, target: openai, model: third}]",
        "two judges are called 'j'",
    ),
    "one judge twice": (
        "[{name: j, target: openai, model: other}]",
        "[{name: j, target: openai, model: other}, {name: k, target: openai, model: other}]",
        "the judges 'k' and 'j' are the same configuration",
    ),
    "a judge of one turn": (
        "constraints: {polite: {match: {contains: please}}}",
        "constraints: {polite: {judge: {rubric: It is polite.}}}",
        "judges are asked about whole conversations",
    ),
    "unknown rival": ("against: a", "against: nobody", "'nobody', which is no candidate"),
}  # fmt: skip


def test_the_project_as_it_stands_is_sound(tmp_path):
    assert load(tmp_path, PROJECT).scenarios


@pytest.mark.parametrize("name", SLIPS)
def test_a_slip_is_refused_with_its_place_and_what_to_do(tmp_path, name):
    old, new, words = SLIPS[name]
    assert old in PROJECT
    with pytest.raises(ProjectError) as caught:
        load(tmp_path, PROJECT.replace(old, new, 1))
    assert words in str(caught.value)
    for problem in caught.value.problems:
        assert "befit.yaml:" in problem.where
        assert problem.do


def test_all_slips_are_told_at_once(tmp_path):
    text = PROJECT
    names = ("tools of one name", "lifted, never stated", "empty turn", "unknown rival")
    for name in names:
        text = text.replace(*SLIPS[name][:2], 1)
    with pytest.raises(ProjectError) as caught:
        load(tmp_path, text)
    for words in ("two tools are called 'get'", "in force: polite", "the user says nothing",
                  "'nobody', which is no candidate"):  # fmt: skip
        assert words in str(caught.value)


@pytest.mark.parametrize(
    ("picture", "words"),
    [
        (b"", "'one.png' is empty"),
        (PIXEL[:40], "'one.png' is cut short"),
        (b"not a picture", "'one.png' is no png picture"),
        (b"GIF89a;", "'one.png' is no png picture but image/gif"),
        (PIXEL[:16] + bytes(4) + PIXEL[20:], "0 pixels wide"),
    ],
)
def test_a_picture_that_is_none_is_refused(tmp_path, picture, words):
    with pytest.raises(ProjectError) as caught:
        load(tmp_path, PROJECT, picture)
    assert words in str(caught.value)


def test_pictures_given_as_data_are_looked_at_too(tmp_path):
    cut = base64.b64encode(PIXEL[:40]).decode()
    given = f"[{{name: p, url: 'data:image/png;base64,{cut}'}}]"
    with pytest.raises(ProjectError, match="cut short"):
        load(tmp_path, PROJECT.replace("[one.png]", given))


def test_whole_pictures_of_every_kind_pass():
    webp = b"RIFF" + (12).to_bytes(4, "little") + b"WEBPVP8 " + bytes(4)
    whole = {
        "image/png": PIXEL,
        "image/jpeg": b"\xff\xd8\xff\xe0" + bytes(8) + b"\xff\xd9",
        "image/gif": b"GIF89a" + bytes(7) + b";",
        "image/webp": webp,
    }
    assert {media: broken(media, content) for media, content in whole.items()} == dict.fromkeys(
        whole, ""
    )
    assert broken("image/webp", webp[:-1]) == "is cut short: its end is missing"
    assert broken("text/plain", b"x") == broken_url("data:text/plain,x") == ""
    assert broken_url("data:image/png;base64,???") == "is no base64 text"


ONE_TURN = """\
project: p
candidates: [{name: a, target: openai, model: m}]
scenarios:
  - name: s
    dimension: generation
    scorers: [SCORER]
    samples: [{id: x, input: q, target: TARGET}]
"""


@pytest.mark.parametrize(
    ("scorer", "target", "told"),
    [
        ("recall", "{factz: [a]}", "it names no 'facts'"),
        ("{fields: {fields: {total: number}}}", "{zz: 1}", "the field 'zz' is not in 'fields'"),
        ("{fields: {fields: {total: number}}}", "12", "it is no mapping"),
        ("recovery", "4", "recovery looks at turn 2, and there is 1 turn by then"),
    ],
)
def test_a_target_that_no_answer_can_meet_is_refused(tmp_path, scorer, target, told):
    with pytest.raises(ProjectError) as error:
        load(tmp_path, ONE_TURN.replace("SCORER", scorer).replace("TARGET", target))
    assert told in str(error.value)


def test_a_target_may_hold_more_fields_than_are_asked_for(tmp_path):
    text = ONE_TURN.replace("SCORER", "{fields: {fields: {total: number}}}")
    assert load(tmp_path, text.replace("TARGET", "{total: 1, other: 2}")).scenarios
