"""Each rule sees the fault that was planted for it, and is silent about a sound set."""

from __future__ import annotations

import random

import pytest

from befit.core.message import ImagePart, Message
from befit.core.sample import Provenance, Sample
from befit.core.scenario import Example, ScenarioSpec
from befit.datasets.lint import LintSet
from befit.datasets.redact_options import Redaction
from befit.pipeline.data_status import lint_rules

ORIGIN = Provenance(source="log", redacted=True)
KINDS = ("typical", "edge", "adversarial")
VOWELS, CONSONANTS = "aeiou", "bcdfghklmnprstvz"


def words(i):
    """Made-up words, other ones for every sample."""
    rng = random.Random(i)  # noqa: S311 - no secret
    return " ".join(
        "".join(rng.choice(CONSONANTS) + rng.choice(VOWELS) for _ in range(3)) for _ in range(6)
    )


def sample(i, **facts):
    held = {"id": f"s{i}", "input": f"{words(i)}?", "target": "north gate",
            "kind": KINDS[i % 3], "language": "en", "provenance": ORIGIN}  # fmt: skip
    return Sample(**{**held, **facts})


def sound(**changes):
    held = [sample(i) for i in range(60)]
    for place, facts in changes.pop("replaced", {}).items():
        held[place] = sample(place, **facts)
    samples = changes.pop("samples", held)
    return LintSet(scenario="s", samples=samples, **changes)


def codes(held):
    return {one.code for one in lint_rules(held)}


def test_a_sound_set_is_silent():
    assert codes(sound(log_languages={"en": 100})) == set()


PICTURE = ImagePart(url="data:image/png;base64,iVBORw0KGgo=")
PLANTED = {
    "unlabelled": sound(replaced={3: {"target": None}}),
    "contradictory": sound(replaced={3: {"input": "Same?"}, 4: {"input": "Same?", "target": "b"}}),
    "underivable": sound(replaced={3: {"target": {"name": "Zanzibar Ltd"}}}),
    "leak": sound(prompts={"the system prompt of 'm'": "Always answer: north gate."}),
    "duplicate": sound(replaced={3: {"input": "Same?"}, 4: {"input": " same ?"}}),
    "template-duplicate": sound(replaced={3: {"input": "Where is ORD-1?"},
                                          4: {"input": "Where is ORD-27?"}}),
    "near-duplicate": sound(replaced={
        3: {"input": f"{words(3)} {words(4)}?"},
        4: {"input": f"{words(3)} {words(4)}s?"}}),
    "across-scenarios": sound(others={"t": [sample(7)]}),
    "few": sound(samples=[sample(i) for i in range(49)]),
    "kinds": sound(samples=[sample(i, kind="typical") for i in range(60)]),
    "language": sound(log_languages={"en": 900, "fr": 100}),
    "modality": sound(log_pictures=3),
    "empty-stratum": sound(samples=[sample(i, tags=("intent:a",)) for i in range(60)],
                           strata={"intent": {"a": 5, "b": 5}}),
    "personal-data": sound(replaced={3: {"target": "write to anna@example.org"}}),
    "licence": sound(replaced={3: {"provenance": Provenance(source="x", licence="CC-BY-4.0")}}),
    "provenance": sound(replaced={3: {"provenance": None}}),
}  # fmt: skip


@pytest.mark.parametrize("code", PLANTED)
def test_the_planted_fault_is_the_one_that_is_seen(code):
    # Two answers to the same input repeat each other, too.
    assert codes(PLANTED[code]) == {code} | ({"duplicate"} if code == "contradictory" else set())


QUEUES = ("billing", "technical", "account", "shipping")
LISTED = "Queue of this message: billing, technical, account or shipping?"


def queues(template, examples=(), targets=QUEUES):
    """A set of classes, with everything a candidate is told beside the sample."""
    spec = ScenarioSpec(name="s", dimension="classification", template=template, examples=examples)
    told = {f"example {i}": f"{one.input}\n{one.output}" for i, one in enumerate(examples, 1)}
    held = [sample(i, target=targets[i % len(targets)]) for i in range(60)]
    return sound(samples=held, spec=spec, prompts={"the template": template, **told})


SHOWN = (Example(input="Where is it?", output="shipping"),
         Example(input="It fails.", output="technical"))  # fmt: skip
ANSWERS = tuple(words(100 + i) for i in range(60))


@pytest.mark.parametrize(
    "held",
    [
        queues(LISTED),
        queues(LISTED, SHOWN[:1]),
        queues("Which queue?", SHOWN),
        queues("Say Undecided, yes or no.", targets=("yes", "no", "undecided")),
        queues('{"severity": "critical|moderate"}',
               targets=({"severity": "critical"}, {"severity": "moderate"})),
    ],
    ids=["listed", "listed and shown", "shown", "short ones", "a field's"],
)  # fmt: skip
def test_the_options_to_choose_from_are_no_leak(held):
    assert "leak" not in codes(held)


@pytest.mark.parametrize(
    ("held", "of"),
    [
        (queues("It is technical."), range(1, 60, 4)),
        (queues("Which queue?", SHOWN[:1]), range(3, 60, 4)),
        (queues(f"Say {ANSWERS[3]} or {ANSWERS[5]}.", targets=ANSWERS), (3, 5)),
    ],
    ids=["one of the classes", "one class shown", "two answers of sixty"],
)
def test_an_answer_that_is_no_option_among_others_is_a_leak(held, of):
    (one,) = (found for found in lint_rules(held) if found.code == "leak")
    assert one.severity == "error"
    assert one.samples == tuple(f"s{i}" for i in of)


def test_too_few_for_the_difference_one_wants_to_see():
    (one,) = lint_rules(sound(difference=0.02))
    assert one.code == "few"
    assert "not 2" in one.what
    assert codes(sound(difference=0.3)) == set()


def test_a_picture_in_the_set_answers_pictures_in_the_logs():
    shown = (Message(role="user", content=(PICTURE,)),)
    held = [sample(i) for i in range(60)]
    held[3] = sample(3, input=shown)
    assert "modality" not in codes(sound(samples=held, log_pictures=3))


def test_a_variant_is_no_duplicate_of_its_parent():
    twin = sample(7, id="s7+emoji", tags=("variant:emoji",))
    assert codes(sound(samples=[*(sample(i) for i in range(60)), twin])) == set()


def test_what_counts_as_personal_is_what_the_project_says():
    held = {3: {"target": "write to anna@example.org about TCK-4711"}}
    kept = Redaction(keep=("email",))
    assert codes(sound(replaced=held, redaction=kept)) == set()
    own = Redaction(keep=("email",), patterns={"ticket": "TCK-[0-9]+"})
    assert codes(sound(replaced=held, redaction=own)) == {"personal-data"}
    order = {3: {"target": "order 111222333"}}  # passes the eleven test of a Dutch number
    assert codes(sound(replaced=order)) == set()
    assert codes(sound(replaced=order, redaction=Redaction(locales=("nl",)))) == {"personal-data"}
