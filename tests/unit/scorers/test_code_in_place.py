"""An answer is set into the file around it at the depth it needs, and held against the others."""

from __future__ import annotations

import pytest

from befit.scorers.code import Code
from befit.scorers.code_tests import placed
from scorer_ground import answered, named, wanting

PRICES = """\
def price(name):
    return {"tea": 3}.get(name, 1)


def main():
    print(price("tea"))
"""
BODY = "    found = [price(one) for one in names]\n    return sum(found)"
TARGET = {
    "tests": ["assert total(['tea', 'tea']) == 6"],
    "files": {"shop/prices.py": PRICES},
    "file": "shop/basket.py",
    "text": "from shop.prices import price\n\n\ndef total(names):\n{answer}\n",
}


def judged(answer, **changed):
    scorer = Code(Code.Options(seconds=5))
    found = list(scorer.score(wanting({**TARGET, **changed}), answered(answer)))
    whole = named(found, "tests_pass")
    return whole.value, whole.label


@pytest.mark.parametrize("margin", ["", "    "])
@pytest.mark.parametrize(
    "answer",
    [
        BODY,
        f"```python\n{BODY}\n```",
        BODY.strip(),
        BODY.replace("\n    ", "\n").strip(),
        BODY.replace("    ", "\t"),
    ],
)
def test_a_body_is_the_same_body_however_it_is_indented(answer, margin):
    text = TARGET["text"].replace("{answer}", margin + "{answer}")
    assert judged(answer, text=text) == (1.0, "right")


def test_what_needs_no_other_depth_is_left_as_it_is():
    whole = 'def text():\n    return """a\n  b"""\n'
    assert placed("{answer}\n", whole) == whole
    assert placed("x = {answer} + 1\n", " 2 ") == "x = 2 + 1\n"
    assert placed("class A:\n    {answer}\n", "def f(self):\n    return 1") == (
        "class A:\n    def f(self):\n        return 1\n"
    )


def test_a_file_may_have_a_main_of_its_own_and_the_file_around_the_answer_is_not_its_doing():
    main = "\n\ndef main():\n    print(total([]))\n"
    assert judged(BODY, text=TARGET["text"] + main) == (1.0, "right")
    whole = f"from shop.prices import price\n\n\ndef total(names):\n{BODY}\n"
    assert judged(whole + main, text="{answer}\n") == (1.0, "right")
    assert judged("def price(name):\n    return 3\n" + whole, text="{answer}\n")[1] == "redefined"


@pytest.mark.parametrize(
    ("start", "call", "label"),
    [
        ("from .prices import price", "price(one)", "right"),
        ("from . import prices", "prices.price(one)", "right"),
        ("from .prices import cost", "3", "raised"),
        ("from .prices import price", "price(one, 2) if False else 3", "wrong_signature"),
    ],
)
def test_relative_imports_lead_to_the_files_around(start, call, label):
    text = f"{start}\ndef total(names):\n    return sum({call} for one in names)\n"
    assert judged(text, text="{answer}\n")[1] == label
