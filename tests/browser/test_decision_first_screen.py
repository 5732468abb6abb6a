"""The first screen and the first page alone say what was decided, why, and what would change it."""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import replace
from functools import cache

import pytest

from befit.core.policy import Gate, Policy
from befit.report import decision as words
from befit.report.html import render
from report_documents import NAMES, Shape, document

pytestmark = pytest.mark.browser

SHAPE = Shape(names=NAMES[:4], dimensions=2, samples=60, repeats=2, examples=0)
FLOORS = {"decided": 0.5, "not decided": 0.8, "none": 0.99}
SIZE = (1280, 800)


@cache
def made(outcome):
    """A report in which every tier is decided, some tier is open, or nobody is good enough."""
    gate = Gate(metric="pass_rate", floor=FLOORS[outcome])
    found = document(replace(SHAPE, decided=True, policy=Policy(gates=(gate,))))
    return found, render(found)


def bottoms(page, selectors):
    script = "s => document.querySelector(s).getBoundingClientRect().bottom"
    return {selector: page.evaluate(script, selector) for selector in selectors}


def test_the_outcomes_are_what_the_names_of_these_tests_say():
    found = {name: made(name)[0].decision.outcome for name in FLOORS}
    assert found["decided"] == "decided"
    assert found["not decided"] == "not_decided"
    assert found["none"] == "none_good_enough"


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("outcome", sorted(FLOORS))
def test_decision_reason_and_doubt_lie_within_the_first_screen(open_text, outcome, scheme):
    found, text = made(outcome)
    page = open_text(text, size=SIZE, color_scheme=scheme).page
    wanted = ["#recommendation .verdict", "#recommendation .routes", "#missing h2",
              "#missing .stands", "#missing .findings"]  # fmt: skip
    assert max(bottoms(page, wanted).values()) <= SIZE[1]
    shown = page.inner_text("#recommendation")
    assert words.summary(found.decision) in shown
    for tier in found.decision.tiers:
        assert tier.tier in shown
        for name in (tier.candidate, tier.fallback, tier.nearest, *tier.contenders):
            assert name is None or name in shown


def test_on_a_phone_the_decision_comes_before_anything_else(open_text):
    _, text = made("decided")
    page = open_text(text, size=(390, 844)).page
    assert bottoms(page, ["#recommendation .verdict"])["#recommendation .verdict"] <= 844
    first = page.evaluate("document.querySelector('main section, main .first section').id")
    assert first == "recommendation"


@pytest.mark.skipif(shutil.which("pdftotext") is None, reason="no pdftotext on this machine")
@pytest.mark.parametrize("outcome", sorted(FLOORS))
def test_printed_page_one_is_the_decision(open_text, tmp_path, outcome):
    found, text = made(outcome)
    path = tmp_path / "report.pdf"
    open_text(text).page.pdf(path=str(path), prefer_css_page_size=True)
    done = subprocess.run(
        ["pdftotext", "-l", "1", "-layout", str(path), "-"],
        capture_output=True,
        check=True,
        timeout=60,
    )
    first = re.sub(r"\s+", "", done.stdout.decode())
    assert re.sub(r"\s+", "", words.summary(found.decision)) in first
    assert "Whatcouldchangethis" in first
    for tier in found.decision.tiers:
        for name in (tier.tier, tier.candidate, tier.fallback):
            assert name is None or name in first
