"""A scenario that asks for what is there and for what is not: neither counts on the other."""

from __future__ import annotations

import asyncio
import re

import pytest

from befit.core.completion import Completion
from befit.core.scenario import Scenario
from befit.engine.executor import execute
from befit.pipeline.analysing import analyse_run
from befit.pipeline.reporting import make_document
from befit.probes.pack import generate
from befit.probes.packs import pack
from befit.report.html import render
from engine_ground import RUN, Answering, candidate, fixed, job, scenario, workspace

PLACES = re.compile(r"the (\w+ archive in \w+)")
KNOBS = {"tokens": "200,800", "absent": 1, "facts": 2}
N, REPEATS = 8, 3


def reader(prompt, *, window=10**6):
    """Find codes within the window; say so where there is none, but for the first half of them."""
    body, _, question = prompt.rpartition("\n\n")
    text = body[:window]
    codes = [re.search(rf"code of the {one} is (\d+)", text) for one in PLACES.findall(question)]
    return " ".join(code[1] for code in codes if code) or "The text does not say."


@pytest.fixture(scope="module")
def measured(tmp_path_factory):
    """Run the pack with its twins by a reader of 1,000 characters and one that refuses all."""
    samples = tuple(generate(pack("long-context"), n=N, knobs=KNOBS))
    given = scenario(fixed(*samples), scorers=(), repeats=REPEATS, name="far")
    spec = given.spec.model_copy(update={"dimension": "long-context"})
    names = ("short", "shy", "refusing")
    one = job([candidate(n) for n in names], [Scenario(spec=spec, samples=given.samples)])
    targets = {
        "short": Answering(lambda request: reader(request.messages[-1].text, window=1_000)),
        "shy": Answering(lambda _: "The text does not say."),
        "refusing": Answering(lambda _: Completion(text="", finish_reason="content_filter")),
    }
    with workspace(tmp_path_factory.mktemp("kinds"), one) as store:
        asyncio.run(execute(one, store=store, targets=targets))
        return analyse_run(store, RUN).analysis, render(make_document(store, RUN))


def row(analysis, metric):
    (found,) = [one for one in analysis.dimension_rows if one.metric == metric]
    return {cell.candidate: cell.estimate for cell in found.cells}


def test_recall_is_no_matter_of_questions_about_what_is_not_there(measured):
    analysis, _ = measured
    for name, estimate in row(analysis, "recall").items():
        counts = (estimate.n_samples, estimate.n_trials, estimate.n_missing)
        assert counts == (N, N * REPEATS, 0), name
    assert row(analysis, "recall")["refusing"].value == 0.0


def test_both_rates_of_honesty_stand_together(measured):
    analysis, page = measured
    metrics = [one.metric for one in analysis.dimension_rows]
    assert metrics == ["recall", "abstained", "answered"]
    abstained, answered = row(analysis, "abstained"), row(analysis, "answered")
    # Who always says that it is not there abstains rightly and wrongly.
    assert (abstained["shy"].value, answered["shy"].value) == (1.0, 0.0)
    assert (abstained["short"].value, answered["short"].value) == (1.0, 1.0)
    assert {e.n_samples for e in (*abstained.values(), *answered.values())} == {N}
    assert "Says so where it is not there" in page
    assert "Answers where it is there" in page


def test_a_pack_without_twins_shows_no_rates_of_honesty(tmp_path):
    samples = tuple(generate(pack("long-context"), n=4, knobs={"tokens": 200}))
    given = scenario(fixed(*samples), scorers=())
    spec = given.spec.model_copy(update={"dimension": "long-context"})
    one = job([candidate()], [Scenario(spec=spec, samples=given.samples)])
    with workspace(tmp_path, one) as store:
        told = Answering(lambda request: reader(request.messages[-1].text))
        asyncio.run(execute(one, store=store, targets={"a": told}))
        rows = analyse_run(store, RUN).analysis.dimension_rows
    assert [one.metric for one in rows] == ["recall"]


def test_each_kind_of_question_has_a_curve_of_its_own(measured):
    analysis, page = measured
    curves = {(c.candidate, c.about): c for c in analysis.doses.curves if c.knob == "tokens"}
    assert set(curves) == {
        (name, about) for name in analysis.candidates for about in ("there", "not there")
    }
    found = [(level, e.value, e.n_samples) for level, e in curves["short", "there"].points]
    # The window holds the whole short text; of the long one the second fact lies beyond it.
    assert found == [(200.0, 1.0, N // 2), (800.0, 0.0, N // 2)]
    said = [e.value for _, e in curves["shy", "not there"].points]
    assert said == [1.0, 1.0]
    assert "asked for what is there" in page
    assert "asked for what is not there" in page


def test_key_facts_are_counted_by_answers_and_failures_hold_none(measured):
    analysis, _ = measured
    cells = {cell.candidate: cell for cell in analysis.recalls}
    for name, cell in cells.items():
        for estimate in (cell.macro, cell.micro):
            counts = (estimate.n_samples, estimate.n_trials, estimate.n_missing)
            assert counts == (N, N * REPEATS, 0), name
    # Half of the texts are short: of four facts in a pair of texts, three are within the window.
    assert cells["short"].micro.value == cells["short"].macro.value == 0.75
    assert cells["refusing"].macro.value == cells["refusing"].micro.value == 0.0
    assert cells["short"].macro.value == row(analysis, "recall")["short"].value
