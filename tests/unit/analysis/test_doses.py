"""Curves over tags and pairs of ways of asking, on runs whose answers are planted."""

from __future__ import annotations

import asyncio

import pytest

from befit.core.sample import Sample
from befit.engine.executor import execute
from befit.pipeline.analysing import analyse_run
from befit.pipeline.reporting import make_document
from befit.report.dose_view import pair_says
from befit.report.html import render
from engine_ground import RUN, Answering, candidate, fixed, job, scenario, workspace


def doses_of(folder, samples, right):
    """Run samples of which `right` names those that are answered rightly."""
    one = job([candidate()], [scenario(fixed(*samples), name="s")])

    def answer(request):
        return "42" if request.metadata["sample"] in right else "no"

    with workspace(folder, one) as store:
        asyncio.run(execute(one, store=store, targets={"a": Answering(answer)}))
        analysed = analyse_run(store, RUN)
        page = render(make_document(store, RUN))
    return analysed.analysis.doses, page


def asked(item, level, *more):
    return Sample(
        id=f"{item}-{level}",
        input=f"{item} {level}?",
        target="42",
        tags=(level, *more),
        cluster=item,
    )


ITEMS = [f"i{n}" for n in range(10)]


def test_a_tag_with_numbers_gives_a_curve_in_their_order(tmp_path):
    samples = [asked(item, f"turns:{n}") for item in ITEMS for n in (10, 2, 0)]
    right = {f"{item}-turns:0" for item in ITEMS} | {f"{item}-turns:2" for item in ITEMS[:6]}
    doses, page = doses_of(tmp_path, samples, right)
    (curve,) = doses.curves
    assert [(level, e.value, e.n_samples) for level, e in curve.points] == [
        (0.0, 1.0, 10),
        (2.0, 0.6, 10),
        (10.0, 0.0, 10),
    ]
    found = {pair.other: pair for pair in doses.pairs}
    assert {pair.base for pair in doses.pairs} == {"0"}
    assert found["2"].difference.value == pytest.approx(-0.4)
    assert found["2"].kept.value == pytest.approx(0.6)
    assert found["10"].difference.value == pytest.approx(-1.0)
    assert "fewer pass with 10 turns than with 0 turns, -100 [" in pair_says(found["10"])
    assert "How it holds as tasks grow harder" in page


def test_ways_of_asking_are_paired_by_their_cluster_and_not_by_their_rate(tmp_path):
    # Of 10 items five are asked in one form only; they are in no pair.
    samples = [asked(item, "form:full") for item in ITEMS]
    samples += [asked(item, "form:sharded") for item in ITEMS[:5]]
    right = {f"{item}-form:full" for item in ITEMS[:5]} | {"i0-form:sharded"}
    doses, _ = doses_of(tmp_path, samples, right)
    assert doses.curves == ()
    (pair,) = doses.pairs
    assert (pair.base, pair.other) == ("full", "sharded")
    assert (pair.at_base.value, pair.at_other.value) == (1.0, 0.2)
    assert pair.difference.n_samples == 5


def test_length_and_depth_together_give_a_grid(tmp_path):
    samples = [
        Sample(
            id=f"{item}-{n}-{d}",
            input=f"{item} {n} {d}",
            target="42",
            tags=(f"tokens:{n}", f"depth:{d}"),
        )
        for item in ITEMS[:4]
        for n in (100, 200)
        for d in ("0.1", "0.9")
    ]
    right = {s.id for s in samples if s.id != "i0-200-0.9" and not s.id.endswith("200-0.1")}
    doses, _ = doses_of(tmp_path, samples, right)
    (grid,) = doses.grids
    assert (grid.rows, grid.columns) == ((100.0, 200.0), (0.1, 0.9))
    assert [[e.value for e in row] for row in grid.cells] == [[1.0, 1.0], [0.0, 0.75]]


def test_retrieval_and_reasoning_are_set_against_each_other(tmp_path):
    samples = [asked(item, style) for item in ITEMS for style in ("retrieval", "reasoning")]
    right = {f"{item}-retrieval" for item in ITEMS[:8]} | {
        f"{item}-reasoning" for item in ITEMS[:2]
    }
    doses, _ = doses_of(tmp_path, samples, right)
    (pair,) = doses.pairs
    assert (pair.knob, pair.base, pair.other) == ("style", "retrieval", "reasoning")
    assert pair.difference.value == pytest.approx(-0.6)


def test_the_same_task_in_other_languages_is_paired_by_its_cluster(tmp_path):
    samples = [
        Sample(
            id=f"{item}-{code}", input=f"{item} {code}", target="42", cluster=item, language=code
        )
        for item in ITEMS
        for code in ("en", "de")
    ]
    right = {f"{item}-en" for item in ITEMS} | {f"{item}-de" for item in ITEMS[:7]}
    doses, page = doses_of(tmp_path, samples, right)
    (pair,) = doses.pairs
    assert (pair.knob, pair.base, pair.other) == ("language", "en", "de")
    assert pair.difference.value == pytest.approx(-0.3)
    assert "<bdi>language de</bdi>" in page


def test_tags_that_say_where_a_sample_comes_from_are_no_knobs(tmp_path):
    samples = [asked(item, f"probe:{name}", "plain") for item in ITEMS[:3] for name in "ab"]
    doses, page = doses_of(tmp_path, samples, set())
    assert (doses.curves, doses.grids, doses.pairs) == ((), (), ())
    assert "How it holds as tasks grow harder" not in page


def pictures(content, item, *, captioned=True):
    for style in ("reasoning", *(["retrieval"] if captioned else [])):
        yield Sample(
            id=f"{content}{item}-{style}",
            input=f"{content} {item} {style}?",
            target="42",
            tags=(content, style),
            cluster=f"{content}{item}",
        )


def test_each_content_of_pictures_has_a_row_and_the_gap_between_the_styles_is_paired(tmp_path):
    kinds = ("text", "structure", "cross-region")
    samples = [one for kind in kinds for n in range(8) for one in pictures(kind, n)]
    right = {one.id for one in samples if one.id.startswith("text")}
    right |= {one.id for one in samples if one.id.endswith("retrieval") and "structure" in one.id}
    doses, page = doses_of(tmp_path, samples, right)
    found = {cell.content: cell for cell in doses.pictures}
    assert list(found) == ["text", "structure", "cross-region"]
    assert {
        name: (cell.reasoning.value, cell.retrieval.value, cell.gap.value)
        for name, cell in found.items()
    } == {"text": (1.0, 1.0, 0.0), "structure": (0.0, 1.0, -1.0), "cross-region": (0.0, 0.0, 0.0)}
    assert found["structure"].gap.n_samples == 8
    assert "reads text and fails at structure and cross-region" in page
    assert "captions alone would hide it for structure." in page
    assert "cross-region" in page


def test_without_captions_there_is_no_gap_and_no_sentence_of_one(tmp_path):
    samples = [one for n in range(8) for one in pictures("text", n, captioned=False)]
    doses, page = doses_of(tmp_path, samples, {one.id for one in samples})
    (cell,) = doses.pictures
    assert cell.reasoning.value == 1.0
    assert (cell.retrieval.value, cell.gap.value) == (None, None)
    assert "captions alone" not in page
