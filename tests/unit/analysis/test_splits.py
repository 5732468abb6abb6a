"""Runs split by who answered, and by one setting of sampling."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from befit.core.candidate import Sampling, Traits
from befit.engine.executor import execute
from befit.pipeline.analysing import analyse_run
from befit.pipeline.reporting import make_document
from befit.report.html import render
from befit.report.split_view import instance_says, sweep_says
from engine_ground import (
    RUN,
    Answering,
    candidate,
    completion,
    job,
    numbered,
    scenario,
    workspace,
)


def analysed(folder, one, targets):
    with workspace(folder, one) as store:
        asyncio.run(execute(one, store=store, targets=targets))
        return analyse_run(store, RUN).analysis, render(make_document(store, RUN))


def served(rights):
    """Repeat 0, 2 by instance x, 1, 3 by y; `rights` says how many of 20 samples each has."""

    def answer(request):
        who = "xy"[int(request.metadata["repeat"]) % 2]
        right = int(request.metadata["sample"][1:]) < rights[who]
        made = completion("42" if right else "no")
        return replace(made, served_model="m-1", system_fingerprint=f"fp_{who}")

    return Answering(answer)


@pytest.mark.parametrize(
    ("rights", "differ"), [({"x": 18, "y": 8}, True), ({"x": 9, "y": 9}, False)]
)
def test_instances_behind_one_name_are_told_apart_where_they_differ(tmp_path, rights, differ):
    one = job([candidate()], [scenario(numbered(20), repeats=4)])
    result, page = analysed(tmp_path, one, {"a": served(rights)})
    (cell,) = result.instances
    rates = {name: estimate.value for name, estimate in cell.instances}
    assert cell.kind == "system fingerprint"
    assert rates == {"fp_x": rights["x"] / 20, "fp_y": rights["y"] / 20}
    assert (cell.differ, cell.n_shared) == (differ, 80)
    words = "more than chance (p < 0.001)" if differ else "no more than chance (p = "
    assert words in instance_says(cell)
    said = "was answered by 2 instances" if differ else "No instance differs by more than chance"
    assert said in page
    assert "fp_x" in page
    assert "fp_y" in page


def routed(headers):
    """Repeat 0, 2 by the first way, 1, 3 by the second; only the second way is ever wrong."""

    def answer(request):
        way = int(request.metadata["repeat"]) % 2
        right = way == 0 or int(request.metadata["sample"][1:]) < 5
        return replace(
            completion("42" if right else "no"), served_model="m-1", headers=headers[way]
        )

    return Answering(answer)


def test_runs_are_split_by_provider_region_and_session_of_the_headers(tmp_path):
    ways = (
        {"provider": "Acme", "x-ms-region": "West Europe", "x-session-id": "s1"},
        {"provider": "Acme", "x-ms-region": "East US", "x-session-id": "s2"},
    )
    one = job([candidate()], [scenario(numbered(20), repeats=4)])
    result, page = analysed(tmp_path, one, {"a": routed(ways)})
    # Region and session part the same trials: one split with both names; Acme is all there is.
    (cell,) = result.instances
    assert cell.kind == "region and session"
    assert {name: e.value for name, e in cell.instances} == {"West Europe": 1.0, "East US": 0.25}
    assert cell.differ
    assert "East US" in page


def test_ways_of_splitting_that_part_other_trials_are_tested_apart_and_adjusted(tmp_path):
    def answer(request):
        repeat = int(request.metadata["repeat"])
        right = repeat % 2 == 0
        headers = {"fly-region": "abcd"[repeat % 2], "x-session-id": f"s{repeat // 2}"}
        return replace(completion("42" if right else "no"), headers=headers)

    one = job([candidate()], [scenario(numbered(15), repeats=4)])
    result, _ = analysed(tmp_path, one, {"a": Answering(answer)})
    region, session = result.instances
    assert (region.kind, region.differ) == ("region", True)
    assert (session.kind, session.differ, session.spread) == ("session", False, 0.0)
    # The least p of 2,000 permutations, twice, for there are two ways.
    assert region.p_value == pytest.approx(2 / 2001)


def test_an_id_for_each_call_is_no_instance(tmp_path):
    def answer(request):
        m = request.metadata
        return replace(completion(), headers={"x-session-id": f"{m['sample']}{m['repeat']}"})

    one = job([candidate()], [scenario(numbered(10), repeats=2)])
    result, _ = analysed(tmp_path, one, {"a": Answering(answer)})
    assert result.instances == ()


def test_one_instance_is_no_split(tmp_path):
    one = job([candidate()], [scenario(numbered(3))])
    result, page = analysed(tmp_path, one, {"a": Answering()})
    assert result.instances == ()
    assert "Settings and instances" not in page


def test_candidates_that_differ_in_one_setting_make_a_line_and_production_is_marked(tmp_path):
    settings = {"cold": 0.0, "warm": 0.5, "hot": 1.0}
    entries = [
        candidate(
            name,
            model="m",
            sampling=Sampling(temperature=value, max_tokens=20),
            traits=Traits(production=name == "warm"),
        )
        for name, value in settings.items()
    ]
    other = candidate("long", model="m", sampling=Sampling(temperature=0.0, max_tokens=90))
    one = job([*entries, other], [scenario(numbered(40), repeats=2)])
    limits = {"cold": 40, "warm": 36, "hot": 4, "long": 40}

    def answering(name):
        def answer(request):
            return "42" if int(request.metadata["sample"][1:]) < limits[name] else "no"

        return Answering(answer)

    result, page = analysed(tmp_path, one, {name: answering(name) for name in limits})
    by = {sweep.setting: sweep for sweep in result.sweeps}
    assert set(by) == {"temperature", "max_tokens"}
    line = by["temperature"]
    assert [(p.value, p.passed.value) for p in line.points] == [(0.0, 1.0), (0.5, 0.9), (1.0, 0.1)]
    assert [p.candidate for p in line.points if p.in_production] == ["warm"]
    assert [p.candidate for p in by["max_tokens"].points] == ["cold", "long"]
    assert sweep_says(line) == (
        "facts: best at temperature 0.0, 100 % [91, 100]; 1.0 clearly below."
        " Production runs 0.5: 90 % [77, 96]."
    )
    assert "in production" in page


def test_a_sweep_needs_everything_else_to_be_the_same(tmp_path):
    entries = [
        candidate("a", model="m", sampling=Sampling(temperature=0.0)),
        candidate("b", model="n", sampling=Sampling(temperature=1.0)),
    ]
    one = job(entries, [scenario(numbered(3))])
    result, _ = analysed(tmp_path, one, {"a": Answering(), "b": Answering()})
    assert result.sweeps == ()


def test_every_effort_that_providers_name_has_its_place_in_the_line(tmp_path):
    efforts = ("high", "none", "xhigh", "minimal")
    entries = [
        candidate(name, model="m", sampling=Sampling(reasoning_effort=name)) for name in efforts
    ]
    one = job(entries, [scenario(numbered(3))])
    result, _ = analysed(tmp_path, one, {name: Answering() for name in efforts})
    (line,) = result.sweeps
    assert line.setting == "reasoning_effort"
    assert [point.shown for point in line.points] == ["none", "minimal", "high", "xhigh"]
