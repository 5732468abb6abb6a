"""Token counts that no answer can have are said to be odd; ordinary ones are not."""

from __future__ import annotations

import pytest

from analysis_ground import fact, manifest, spec
from befit.analysis.frame import build_frame
from befit.analysis.odd_counts import odd_counts
from befit.core.candidate import Candidate, Sampling

SAMPLES = 20


def _texts(*, chars, tokens, calls=1, n=SAMPLES):
    asked = Candidate(
        name="a", target="openai", model="m", sampling=Sampling(temperature=0, max_tokens=20)
    )
    facts = [
        fact("a", f"s{i}", output_chars=chars, output_tokens=tokens, calls=calls) for i in range(n)
    ]
    frame = build_frame(manifest([asked], [(spec(), n)]), facts, ())
    return [finding.text for finding in odd_counts(frame)]


@pytest.mark.parametrize(
    ("chars", "tokens"),
    [(70, 17), (70, 4), (20, 20), (6, 21)],  # 21: an end mark may be counted
)
def test_counts_as_they_are_everywhere_are_passed_over(chars, tokens):
    assert _texts(chars=chars, tokens=tokens) == []


def test_one_token_for_seventy_characters_cannot_be_right():
    (text,) = _texts(chars=70, tokens=1)
    assert "counts 20 output tokens for 1,400 characters" in text


def test_more_tokens_than_were_asked_for_are_told_with_the_limit():
    (text,) = _texts(chars=70, tokens=5_000)
    assert "count 5,000 output tokens or more where max_tokens is 20" in text


def test_conversations_and_few_answers_say_nothing():
    assert _texts(chars=70, tokens=5_000, calls=3) == []
    assert _texts(chars=70, tokens=5_000, n=4) == []
