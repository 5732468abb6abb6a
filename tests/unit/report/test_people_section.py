"""What people said, in the report: drawn and in words, with the numbers of the result."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

import report_people
from befit.charts.numbers import interval_text
from befit.report import markdown
from befit.report import people_charts as drawn
from befit.report.html import render
from befit.report.people import people_json
from befit.review.quality import rate
from befit.review.records import Change


@pytest.fixture(scope="module")
def document():
    return report_people.document()


@pytest.fixture(scope="module")
def text(document):
    return render(document)


def test_ratings_are_drawn_with_their_intervals_best_first(document):
    (result,) = document.people
    (picture,) = drawn.rating_dots(result, {})
    assert picture.count("<svg") == 2  # wide and narrow
    for one in result.preference.strengths:
        assert interval_text(one.rating, "number") in picture
    order = [picture.index(f">{one.candidate}<") for one in result.preference.strengths]
    assert order == sorted(order)
    assert drawn.rating_dots(replace(result, preference=None), {}) == ()


def test_the_win_matrix_is_whole_and_its_halves_make_one(document):
    found = drawn.win_heat(document.people[0].preference)
    for i, row in enumerate(found.rows):
        assert row[i] is None
        for j, cell in enumerate(row):
            if i != j:
                assert cell.value + found.rows[j][i].value == pytest.approx(1.0)


def test_drift_says_whether_a_move_can_be_told(document):
    first, second = document.people[0].drift
    gold, same, agreement = drawn.drift_dots((first, second))
    assert "no move can be told" in gold
    assert "no move can be told" in agreement
    assert "75 % [60, 86] in recalibration 1." in same  # nothing to compare it with
    moved = replace(second, gold=rate(5, 40, why=""))
    assert re.search(
        r"From 75 % \[[^]]*\] to 12 % \[[^]]*\]: has moved", drawn.drift_dots((first, moved))[0]
    )
    assert drawn.drift_dots(()) == ()


def test_the_page_has_judges_bias_corrected_rates_and_drift(text, document):
    section = text[text.index('id="people"') :]
    (judge,) = document.people[0].judges
    assert judge.flip_rate.value is not None
    for words in ("Changes with the order", "corrected by people", "Drift of anchors",
                  "recalibration 1", "Bradley-Terry ratings", "itself"):  # fmt: skip
        assert words in section, words
    for name, rate_ in judge.corrected:
        assert name in section
        assert interval_text(rate_, "percent") in section


def test_a_record_tells_its_history(document):
    (sheet,) = document.notes
    steps = (
        Change(at="2026-04-01", author="Ben", state="confirmed", why="again in repeat 2"),
        Change(at="2026-05-01", author="Eva", state="revised", why="two now", seen="one number"),
    )
    kept = sheet.model_copy(update={"state": "revised", "history": steps})
    page = render(replace(document, notes=(kept,)))
    assert "confirmed, again in repeat 2" in page
    assert "revised, two now; before: one number" in page
    told = people_json(replace(document.people[0], notes=(kept,)))["records"][0]
    assert [step["state"] for step in told["history"]] == ["confirmed", "revised"]


def test_the_short_report_tells_what_people_said_in_a_few_lines(document):
    text = markdown.render(document)
    lines = text.splitlines()
    assert len(lines) <= markdown.MOST
    assert "**Review by people** (study `v-0a1b2c3d`)" in lines
    told = next(line for line in lines if line.startswith("- Win rate by people"))
    assert told.count("%") == 4
    assert "alpha 0.17 (low)" in text
    assert any("uncalibrated judge" in line for line in lines)
    assert "\u202e" not in text
