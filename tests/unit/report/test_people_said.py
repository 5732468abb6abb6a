"""The sentences on what people said: guesses, adjudication, agreement that was not measured."""

from __future__ import annotations

from dataclasses import replace

from befit.core.estimate import Estimate
from befit.report.people import adjudication, guesses, win_rates
from befit.review.agreeing import agreement
from befit.review.concluding import result_of
from befit.review.records import Guess
from review_rows import row
from review_world import world


def result(folder, rows, told=()):
    study = world(folder).made.study
    return result_of(study.model_copy(update={"guess_names": ("a", "b")}), rows, {}, told)


def test_answers_of_no_idea_are_not_called_not_asked(tmp_path):
    rows = [row(n, "left") for n in range(7)]
    unknown = [Guess(assignment=f"ann-{n}", side="left") for n in range(7)]
    found = guesses(result(tmp_path / "a", rows, unknown))
    assert found == "Which model is it? Asked 7 times; nobody named a model."
    assert "Not asked" in guesses(result(tmp_path / "b", rows))


def test_what_adjudicators_decided_stands_beside_the_votes_and_is_not_counted_in_them(tmp_path):
    rows = [
        row(n, o, who=w, item=f"i{n}")
        for n in range(4)
        for w, o in (("ann", "left"), ("ben", "right"))
    ]
    rows += [row(n, "left", who="eve", item=f"i{n}", purpose="adjudication") for n in range(4)]
    found = result(tmp_path, rows)
    assert found.n_votes == 8
    assert adjudication(found).startswith("Adjudicators decided 4 disputed pairs, not counted")
    assert "a 100 %" in adjudication(found)
    assert win_rates(found).startswith("a 50 %")
    assert adjudication(result(tmp_path / "none", rows[:8])) == ""


def test_agreement_that_was_not_measured_says_so_once():
    assert agreement([]).told.count("not measured") == 1


def test_disputed_pairs_are_counted_once_and_adjudicators_are_no_reviewers(tmp_path):
    rows = [row(0, "left"), row(0, "right", who="ben")]
    rows.append(row(0, "left", who="eve", purpose="adjudication"))
    found = result(tmp_path, rows)
    assert adjudication(found).startswith("Adjudicators decided 1 disputed pair, not counted")
    more = [("a", "c"), ("b", "c")]
    rows += [
        replace(row(n, "left", who="eve", item=f"i{n}", purpose="adjudication"), x=x, y=y)
        for n, (x, y) in enumerate(more, start=1)
    ]
    found = result(tmp_path / "more", rows)
    assert adjudication(found).startswith("Adjudicators decided 3 disputed pairs")
    assert [line.reviewer for line in found.quality] == ["ann", "ben"]


def test_ratings_for_each_sample_are_told_in_three_digits():
    made = Estimate(value=0.5, low=0.2, high=0.8, n_samples=7, n_trials=15, n_missing=0, method="m")
    assert str(made).endswith("n=7x2.14")
