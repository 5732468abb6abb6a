"""Masking looks quickly where nothing is to be masked, and misses nothing where something is."""

from __future__ import annotations

import pytest

from befit.core.sample import Sample
from befit.core.secret_text import MASK
from befit.engine.masking import Masking

KEY = "sk-of-nobody-0123456789"


def test_a_sample_without_a_key_stays_the_very_same():
    sample = Sample(id="a", input="a question", target="42")
    assert Masking([KEY]).record(sample) is sample


@pytest.mark.parametrize("around", ["", "\ud800", "\x00", '"\\', "é\u2028"])
def test_a_key_in_a_sample_is_masked_whatever_stands_around_it(around):
    sample = Sample(id="a", input=f"{around}{KEY}{around}", target=[f"{around}{KEY}"])
    masked = Masking([KEY]).record(sample)
    assert masked.input == f"{around}{MASK}{around}"
    assert masked.target == [f"{around}{MASK}"]


@pytest.mark.parametrize("key", ['has"quotes\\and more', "über-geheim-éé", "tab\tand\nline end"])
def test_a_key_with_characters_that_json_writes_differently_is_found(key):
    masked = Masking([key]).record(Sample(id="a", input=f"it is {key}."))
    assert masked.input == f"it is {MASK}."


def test_a_sample_known_to_be_clean_is_never_taken_for_another_one():
    masking = Masking([KEY])
    for turn in range(50):  # the memory of one that is gone may be given to the next
        clean = Sample(id=f"clean-{turn}", input="a question")
        assert masking.record(clean) is masking.record(clean) is clean
        del clean
        assert masking.record(Sample(id=f"{turn}", input=KEY)).input == MASK
