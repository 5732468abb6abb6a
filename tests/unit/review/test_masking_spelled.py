"""A name spelled out letter by letter is a name; letters in words and lists are none."""

from __future__ import annotations

import pytest

from befit.review.masking import HIDDEN, Lexicon

OWN = ("polaris", "vega", "sirius", "acme-7b", "careful")


@pytest.mark.parametrize(
    "name",
    [
        "p-o-l-a-r-i-s", "v-e-g-a", "s.i.r.i.u.s", "p o l a r i s", "P.O.L.A.R.I.S",
        "v*e*g*a", "v_e_g_a", "v - e - g - a", "s, i, r, i, u, s", "v\u00a0e\u00a0g\u00a0a",
        "a-c-m-e-7-b", "g-e-m-i-n-i", "c l a u d e", "C-h-a-t-G-P-T", "c-a-r-e-f-u-l",
        "v\ne\ng\na",
    ],
)  # fmt: skip
def test_a_name_spelled_out_is_hidden_whole(name: str) -> None:
    masked, kinds = Lexicon(OWN).mask(f"I am {name}.")
    assert masked == f"I am {HIDDEN}."
    assert len(kinds) == 1


def test_single_letters_before_and_after_a_spelled_name_stay() -> None:
    masked, _ = Lexicon(OWN).mask("I a v-e-g-a x told you.")
    assert masked == f"I a {HIDDEN} x told you."


@pytest.mark.parametrize(
    "text",
    [
        "have gas", "the cave-gap", "solve ga", "v-e-g-as", "lov e g a", "a-b-c-d",
        "v-e-g", "5 v e 6 g a", "x = v + e - g", "c-o-m-m-a-n-d", "spell c-a-r-e-f-u-l",
    ],
)  # fmt: skip
def test_letters_that_spell_no_name_alone_stay(text: str) -> None:
    assert Lexicon(OWN).mask(text) == (text, ())


def test_a_spelled_name_the_question_holds_is_told_of_and_not_hidden() -> None:
    found = Lexicon(OWN).find("It is spelled v-e-g-a.", asked="How is Vega spelled?")
    assert [one.hide for one in found] == [False]


def test_strict_finds_a_spelled_name_for_leaving_answers_out() -> None:
    assert Lexicon(OWN).find("yours, s.i.r.i.u.s", strict=True)
