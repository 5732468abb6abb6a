"""Who gives every prompt back has answered nothing, in any rate of a pack."""

from __future__ import annotations

import pytest

from befit.core.completion import Completion
from befit.core.message import Message
from befit.core.trial import Trial, TrialKey
from befit.scorers.honesty import Honesty
from befit.scorers.language import Language
from befit.scorers.recall import Recall
from probe_readers import samples_of

KINDS = {"recall": Recall, "honesty": Honesty, "language": Language}


def judged(sample, text):
    said = (Message(role="user", content=sample.input), Message(role="assistant", content=text))
    done = (Completion(text=text, finish_reason="stop"),)
    trial = Trial(key=TrialKey("c", "e", "i", "", 0), transcript=said, completions=done)
    scores = {}
    for check in sample.checks:
        if check.name in KINDS:
            kind = KINDS[check.name]
            scorer = kind(kind.Options.model_validate(check.options))
            scores.update({one.name: one for one in scorer.score(sample, trial)})
    return scores


@pytest.mark.parametrize("form", ["plain", "join", "reference", "contradiction"])
@pytest.mark.parametrize("facts", [1, 8])
def test_a_long_text_given_back_recalls_and_abstains_from_nothing(form, facts):
    samples = samples_of("long-context", n=3, tokens=800, facts=facts, form=form, absent=1)
    for sample in samples:
        found = judged(sample, sample.input)
        assert found["honest"].value == 0.0
        rate = "abstained" if sample.id.endswith("absent") else "answered"
        assert (found[rate].value, found[rate].label) == (0.0, "parroted")
        if "recall" in found:
            assert (found["recall"].value, found["recall"].label) == (0.0, "parroted")
            assert found["recalled"].value == 0.0


def test_facts_quoted_with_their_sentences_are_recalled():
    (sample, _) = samples_of("long-context", n=1, tokens=800, facts=8, absent=1)
    codes = [fact["text"] for fact in sample.target["facts"]]
    said = [
        next(s for s in sample.input.replace("\n", " ").split(". ") if code in s) for code in codes
    ]
    found = judged(sample, ". ".join(said))
    assert (found["recall"].value, found["recalled"].value) == (1.0, 1.0)
    assert (found["honest"].value, found["answered"].value) == (1.0, 1.0)


def test_a_problem_given_back_is_no_sentence_in_the_language_asked():
    samples = samples_of("multilingual", n=2, reply=1)
    labels = {judged(sample, sample.input)["language_right"].label for sample in samples}
    assert labels == {"parroted"}
    bare = {judged(s, f"Answer: {s.target}")["language_right"].value for s in samples}
    assert bare == {0.0}
