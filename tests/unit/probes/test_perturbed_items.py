from __future__ import annotations

from fractions import Fraction

import pytest

from befit.core.sample import Provenance, Sample
from befit.probes.perturb import KINDS, perturb
from befit.probes.perturb_numbers import evaluate

FRUIT = (
    "Mary buys 24 apples and 18 pears. She gives 12 of them to Tom. How many pieces of fruit does"
    " Mary have in total?"
)
WAY = "She buys 24+18=<<24+18=42>>42. She keeps 42-12=<<42-12=30>>30.\n#### 30"
QUIZ = "Which of the following is a metal?\nA. Sulphur\nB. Iron\nC. Neon\nD. Iodine\nAnswer:"


def sample(text=FRUIT, target=WAY, **more):
    return Sample(id="i1", input=text, target=target, **more)


def versions(one, *, seed=0, kinds=KINDS):
    return {made.kind: made for made in perturb([one], kinds=kinds, seed=seed)}


def test_a_version_names_its_original_and_keeps_what_belongs_to_it():
    known = sample(tags=("maths",), language="en", provenance=Provenance(source="public set"))
    made = versions(known)["renumbered"].sample
    assert made.id == "i1~renumbered"
    assert made.tags == ("maths", "perturbed", "perturbed:renumbered")
    assert made.cluster == "i1"
    assert made.provenance.parent_id == "i1"
    assert made.provenance.source == "public set"
    assert made.language == "en"


def test_the_same_seed_gives_the_same_versions_and_another_seed_others():
    texts = {seed: versions(sample(), seed=seed)["renumbered"].sample.input for seed in (0, 1)}
    assert texts[0] == versions(sample(), seed=0)["renumbered"].sample.input
    assert texts[0] != texts[1]


@pytest.mark.parametrize("seed", range(20))
def test_renumbered_items_have_the_answer_of_their_new_numbers(seed):
    made = versions(sample(), seed=seed)["renumbered"].sample
    words = made.input.split()
    apples, pears, given = int(words[2]), int(words[5]), int(words[9])
    assert made.target == f"#### {apples + pears - given}"
    assert (apples, pears, given) != (24, 18, 12)


def test_a_plain_sum_is_renumbered_too():
    made = versions(sample("What is 40 + 85?", "125"))["renumbered"].sample
    a, b = (int(x.strip("?")) for x in made.input.removeprefix("What is ").split(" + "))
    assert made.target == str(a + b)


@pytest.mark.parametrize(
    ("text", "target", "why"),
    [
        ("How far is it?", "12", "shows no steps"),
        ("It takes 2 bolts and half that much. How many?", "<<2/2=1>> <<2+1=3>>\n#### 3", "doubt"),
        ("She has 7 and 7 more.", "<<7+7=14>>14\n#### 14", "doubt"),
        ("She has 4 and 5.", "<<4+5=10>>10\n#### 10", "do not compute"),
        ("She has 4 and 5.", "<<4+5=9>>9\n#### 8", "not its answer"),
        ("9 cats have 4 and 5 toys.", "<<4+5=9>>9 <<9*9=81>>81\n#### 81", "also a result"),
        ("Which?\nA. 1\nB. 2", "A", "would have to change"),
    ],
)
def test_items_in_doubt_are_refused_with_the_reason(text, target, why):
    made = versions(sample(text, target))["renumbered"]
    assert made.sample is None
    assert why in made.why


def test_only_numbers_and_four_operations_are_computed():
    assert evaluate("(3 + 4.5) * 2 - 1/4") == Fraction("14.75")
    assert evaluate("20% * 50") == 10
    assert evaluate("1,200 / 3") == 400
    for text in ("__import__('os')", "9**9**9", "1/0", "a + 1", "3 if 1 else 2", "(" * 500):
        assert evaluate(text) is None


def test_people_are_renamed_and_the_answer_stays():
    made = versions(sample())["renamed"].sample
    assert "Mary" not in made.input
    assert "Tom" not in made.input
    assert made.target == WAY
    heroine = made.input.split()[0]
    assert made.input.count(heroine) == 2


def test_words_change_by_rule_and_options_do_not():
    made = versions(sample(QUIZ, "B"))["paraphrased"].sample
    assert made.input.startswith("Which one of these is a metal?")
    assert made.input.endswith("A. Sulphur\nB. Iron\nC. Neon\nD. Iodine\nAnswer:")
    assert made.target == "B"


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("target", ["B", "(B)", "Iron"])
def test_reordered_options_move_the_right_one_and_its_letter(seed, target):
    made = versions(sample(QUIZ, target), seed=seed)["reordered"].sample
    lines = made.input.split("\n")[1:5]
    place = next(i for i, line in enumerate(lines) if line.endswith("Iron"))
    assert place != 1
    assert sorted(line[3:] for line in lines) == ["Iodine", "Iron", "Neon", "Sulphur"]
    assert [line[0] for line in lines] == list("ABCD")
    assert made.target == ("Iron" if target == "Iron" else target.replace("B", "ABCD"[place]))


@pytest.mark.parametrize(
    ("text", "target", "why"),
    [
        ("Say hello.", "hello", "no options"),
        (QUIZ, "E", "none of its options"),
        ("What?\nA. x\nB. y\nC. all of the above", "C", "places of others"),
        ("What?\nA. x\nB. y\nC. both A and B", "C", "places of others"),
        ("What?\nA. x  \nB. x", "A", "nothing in it could be changed"),
    ],
)
def test_options_that_cannot_move_are_refused(text, target, why):
    made = versions(sample(text, target))["reordered"]
    assert made.sample is None
    assert why in made.why


@pytest.mark.parametrize("seed", range(30))
def test_fresh_items_compute_to_their_answer(seed):
    made = versions(sample(), seed=seed)["fresh"].sample
    total = 0
    for line in made.input.split(". "):
        numbers = [int(word.strip(",.")) for word in line.split() if word.strip(",.").isdigit()]
        if "starts" in line:
            total = numbers[0]
        elif "delivery" in line:
            total += numbers[0]
        elif "takes" in line:
            total -= numbers[0]
        elif "shelves" in line:
            total += numbers[0] * numbers[1]
        elif "thrown" in line:
            total -= numbers[0] * numbers[1]
    assert made.target == str(total)
    assert total > 0


def test_fresh_choices_hold_the_answer_once():
    made = versions(sample("What is 3 x 4?\n(A) 7\n(B) 12\n(C) 13", "(B)"))["fresh"].sample
    lines = made.input.split("\n")[1:]
    assert len({line.split()[1] for line in lines}) == 3
    assert made.target in {"A", "B", "C", "(A)", "(B)", "(C)"}
    assert versions(sample(QUIZ, "B"))["fresh"].sample is None


def test_what_is_no_single_text_is_refused():
    talk = Sample(id="t", turns=({"user": "hi"},))
    assert {m.why for m in perturb([talk])} == {"only single texts can be perturbed"}
