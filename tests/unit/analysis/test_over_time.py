"""The same candidate at another hour: worse by what was planted, with the served model named."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from befit.analysis.over_time import adjusted, time_curve
from befit.analysis.over_time_result import TimeCurve, TimePoint
from befit.core.estimate import Estimate
from befit.engine.executor import execute
from befit.pipeline.analysing import analyse_run
from befit.pipeline.reporting import make_document
from befit.report.html import render
from befit.report.split_view import time_says
from engine_ground import Answering, candidate, completion, job, numbered, scenario, workspace


def run_of(folder, name, limit, *, label="", served="m-1", n=30):
    one = job([candidate()], [scenario(numbered(n))], run_id=name, label=label)

    def answer(request):
        right = int(request.metadata["sample"][1:]) < limit
        return replace(completion("42" if right else "no"), served_model=served)

    with workspace(folder, one) as store:
        asyncio.run(execute(one, store=store, targets={"a": Answering(answer)}))
        store.finish(name, "complete")
        return analyse_run(store, name).analysis, render(make_document(store, name))


def test_it_got_worse_and_somebody_else_answers(tmp_path):
    day, page = run_of(tmp_path, "r-1day", 27)
    assert day.over_time == ()
    assert "The same candidate in other runs" not in page
    night, page = run_of(tmp_path, "r-2night", 12, label="night", served="m-1-mini")
    (curve,) = night.over_time
    assert [point.passed.value for point in curve.points] == [0.9, 0.4]
    assert [point.label for point in curve.points] == ["", "night"]
    assert curve.points[-1].since_first.n_samples == 30
    assert curve.points[-1].since_first.value == pytest.approx(-0.5)
    assert time_says(curve) == (
        "a on facts, 2 runs: the last is worse than the first, -50 [-69, -31] points; the served"
        " model has changed from m-1 to m-1-mini."
    )
    assert "The same candidate in other runs" in page
    assert "night: now m-1-mini" in page


def test_an_answer_taken_over_is_no_new_look(tmp_path):
    run_of(tmp_path, "r-1", 20)
    # Without a label of its own the second run takes the stored answers over.
    again, _ = run_of(tmp_path, "r-2", 5)
    assert again.over_time == ()


def test_another_prompt_is_not_compared(tmp_path):
    run_of(tmp_path, "r-1", 20)
    one = job(
        [candidate()], [scenario(numbered(30), template="Say: {input}")], run_id="r-2", label="b"
    )
    with workspace(tmp_path, one) as store:
        asyncio.run(execute(one, store=store, targets={"a": Answering()}))
        assert analyse_run(store, "r-2").analysis.over_time == ()


def point(run_id):
    return TimePoint(run_id=run_id, created_at=run_id, label="", served=(), concurrency=1)


def test_a_heavy_sample_that_fell_weighs_in_the_curve():
    """One sample of weight 9 falls, eleven of weight 1 do not: 11 / 20 are right in the end."""
    ids = [f"s{n}" for n in range(12)]
    traits = {one: (None, 9.0 if one == "s0" else 1.0) for one in ids}
    before, after = ({one: [1.0] for one in ids} for _ in range(2))
    after["s0"] = [0.0]
    runs = [(point("r-1"), before), (point("r-2"), after)]
    found = time_curve("a", "facts", runs, traits=traits).points[-1]
    assert found.passed.value == pytest.approx(11 / 20)
    assert found.since_first.value == pytest.approx(-9 / 20)


def test_samples_of_one_document_are_one_sign_of_change():
    """Six of 24 samples fell: as six documents p is 2 / 2^6, as one document nothing is shown."""
    ids = [f"s{n:02}" for n in range(24)]
    before = {one: [1.0] for one in ids}
    after = {one: [0.0 if n < 6 else 1.0] for n, one in enumerate(ids)}
    runs = [(point("r-1"), before), (point("r-2"), after)]
    alone = dict.fromkeys(ids, (None, 1.0))
    grouped = {one: (f"d{n // 6}", 1.0) for n, one in enumerate(ids)}
    assert time_curve("a", "f", runs, traits=alone).points[-1].p_value == pytest.approx(2 / 64)
    assert time_curve("a", "f", runs, traits=grouped).points[-1].p_value == pytest.approx(1.0)


def curve(name, p):
    gap = Estimate(
        value=-0.2, low=-0.38, high=-0.02, n_samples=30, n_trials=60, n_missing=0, method="paired"
    )
    first = TimePoint(run_id="r-1", created_at="1", label="", served=(), concurrency=1)
    last = replace(first, run_id="r-2", created_at="2", since_first=gap, p_value=p)
    return TimeCurve(candidate=name, scenario="facts", points=(first, last))


def test_one_curve_of_several_that_moves_by_chance_has_not_moved():
    alone = adjusted([curve("a", 0.03)])
    assert [one.moved for one in alone] == [True]
    several = adjusted([curve("a", 0.03), *(curve(f"c{n}", 0.9) for n in range(7))])
    # Holm: the smallest of eight p-values counts eight times.
    assert several[0].points[-1].p_adjusted == pytest.approx(0.24)
    assert not several[0].moved
    assert time_says(several[0]).endswith("points, too little for one curve of several).")
    clear = adjusted([curve("a", 0.001), *(curve(f"c{n}", 0.9) for n in range(7))])
    assert clear[0].moved
    assert "the last is worse than the first" in time_says(clear[0])
