from __future__ import annotations

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from befit.core.candidate import Candidate, Prompt
from befit.core.message import ImagePart, Message, TextPart
from befit.core.sample import Attachment, Sample, Turn
from befit.core.scenario import Example, ScenarioSpec
from befit.engine.render import fill, render, template_names
from befit.engine.seeds import request_seed
from befit.errors import DataError

PNG = "data:image/png;base64,AAAA"


def spec(template="{input}", **more):
    return ScenarioSpec(name="s", dimension="knowledge", template=template, **more)


def who(**prompt):
    return Candidate(name="a", target="openai", prompt=Prompt(**prompt))


def said(messages):
    return [(m.role, m.text) for m in messages]


@pytest.mark.parametrize(
    ("template", "filled"),
    [
        ("Total?\n{input}", "Total?\n<{vars} {input}>"),
        ("{lang}: {input}", "de: <{vars} {input}>"),
        ("{{input}} is {input}", "{input} is <{vars} {input}>"),
        ('{"json": {input}}', '{"json": <{vars} {input}>}'),
        ("{unknown} {} { input } {0}", "{unknown} {} { input } {0}"),
        ("%s %(input)s $input", "%s %(input)s $input"),
    ],
)
def test_templates_are_filled_in_one_pass_and_other_braces_are_left_alone(template, filled):
    assert fill(template, {"input": "<{vars} {input}>", "lang": "de"}) == filled


@given(st.text(max_size=60))
def test_content_is_never_read_as_a_template(content):
    values = {"input": content, "x": "never"}
    assert fill("[{input}]", values) == f"[{content}]"


def test_a_template_names_what_it_asks_for():
    assert template_names('{input} {lang} {{no}} {"a": 1} {due-date}') == {
        "input",
        "lang",
        "due-date",
    }


def test_system_examples_and_sample_come_in_this_order_through_one_template():
    examples = (Example(input="1+1", output="2"), Example(input="2+2", output="4"))
    messages = render(
        spec("Q: {input}", examples=examples),
        who(system="Be terse.", shots=1),
        Sample(id="x", input="3+3"),
    )
    assert said(messages) == [
        ("system", "Be terse."),
        ("user", "Q: 1+1"),
        ("assistant", "2"),
        ("user", "Q: 3+3"),
    ]


def test_a_candidates_own_template_goes_before_the_shared_one():
    own = who(templates={"s": "mine {input}"})
    assert said(render(spec("ours {input}"), own, Sample(id="x", input="q"))) == [
        ("user", "mine q")
    ]


def test_the_template_goes_around_the_last_user_message_and_systems_are_joined():
    sample = Sample(
        id="x",
        input=(
            Message(role="system", content="You are a clerk."),
            Message(role="user", content="hello"),
            Message(role="assistant", content="hi"),
            Message(role="user", content="total?"),
        ),
    )
    assert said(render(spec("<{input}>"), who(system="Be terse."), sample)) == [
        ("system", "Be terse.\n\nYou are a clerk."),
        ("user", "hello"),
        ("assistant", "hi"),
        ("user", "<total?>"),
    ]


def test_images_of_a_message_stay_when_its_text_is_filled_in():
    sample = Sample(
        id="x",
        input=(Message(role="user", content=(TextPart(text="what?"), ImagePart(url=PNG))),),
    )
    (message,) = render(spec("<{input}>"), who(), sample)
    assert message.content == (TextPart(text="<what?>"), ImagePart(url=PNG))


def test_the_first_scripted_turn_opens():
    sample = Sample(id="x", turns=(Turn(user="one"), Turn(user="two")))
    assert said(render(spec("Task: {input}"), who(), sample)) == [("user", "Task: one")]


def test_attachments_become_parts():
    note = "data:text/plain;base64," + base64.b64encode("grüße".encode()).decode()
    sample = Sample(
        id="x",
        input="see",
        attachments=(
            Attachment(name="scan", url=PNG),
            Attachment(name="note.txt", url=note),
            Attachment(name="plain", url="data:text/plain,a%20b"),
        ),
    )
    (message,) = render(spec(), who(), sample)
    assert message.content == (
        TextPart(text="see"),
        ImagePart(url=PNG),
        TextPart(text="note.txt:\ngrüße"),
        TextPart(text="plain:\na b"),
    )


@pytest.mark.parametrize(
    ("url", "what"),
    [
        ("data:application/pdf;base64,AAAA", "has type 'application/pdf'"),
        ("data:text/plain;base64,!!", "cannot be read"),
        ("data:text/plain;base64,/w==", "cannot be read"),
    ],
)
def test_what_cannot_be_shown_is_refused_by_name(url, what):
    sample = Sample(id="x7", input="see", attachments=(Attachment(name="file", url=url),))
    with pytest.raises(DataError, match=f"sample x7 attachment 'file' {what}"):
        render(spec(), who(), sample)


def test_seeds_differ_by_run_sample_and_repeat_and_fit_every_provider():
    seeds = [
        request_seed(seed, sample_id=sample, repeat=repeat)
        for seed in (0, 1)
        for sample in ("a", "b", "a\ud800")
        for repeat in range(50)
    ]
    assert len(set(seeds)) == 300
    assert all(0 <= seed < 2**31 for seed in seeds)
    assert seeds[0] == request_seed(0, sample_id="a", repeat=0)
