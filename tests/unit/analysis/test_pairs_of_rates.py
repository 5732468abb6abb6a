"""One rate of a pair is never shown alone."""

from __future__ import annotations

import asyncio

from befit.core.message import Message
from befit.core.sample import Sample, ScorerSpec, Turn
from befit.core.scenario import Scenario
from befit.engine.executor import execute
from befit.pipeline.analysing import analyse_run
from engine_ground import RUN, Answering, candidate, fixed, job, scenario, workspace


def test_a_rate_without_a_sample_stands_as_not_measured(tmp_path):
    samples = [
        Sample(id=f"s{n}", input=(Message(role="user", content=f"{n}?"),), target="42")
        for n in range(4)
    ]
    spec = scenario(
        fixed(*samples), scorers=(ScorerSpec(name="recovery", options={"seeded": "wrong"}),)
    )
    spec = Scenario(
        spec=spec.spec.model_copy(update={"dimension": "error-recovery"}), samples=spec.samples
    )
    one = job([candidate()], [spec])
    with workspace(tmp_path, one) as store:
        asyncio.run(execute(one, store=store, targets={"a": Answering()}))
        rows = analyse_run(store, RUN).analysis.dimension_rows
    found = {row.metric: row.cells[0].estimate for row in rows}
    assert set(found) == {"recovered", "fixed", "held"}
    assert (found["recovered"].value, found["fixed"].value) == (1.0, 1.0)
    assert found["held"].value is None


def test_what_did_not_occur_to_a_candidate_is_neither_missing_nor_a_gap(tmp_path):
    def right_first(_):
        return "42"

    def wrong_first(request):
        return "42" if "wrong" in request.messages[-1].text else "7"

    samples = [
        Sample(
            id=f"s{n}",
            input=None,
            turns=(Turn(user=f"{n}?"), Turn(user="That is wrong.")),
            target="42",
        )
        for n in range(6)
    ]
    given = scenario(fixed(*samples), scorers=(ScorerSpec(name="recovery"),))
    spec = given.spec.model_copy(update={"dimension": "error-recovery"})
    names = ("knows", "learns", "also")
    one = job([candidate(n) for n in names], [Scenario(spec=spec, samples=given.samples)])
    targets = {
        "knows": Answering(right_first),
        "learns": Answering(wrong_first),
        "also": Answering(wrong_first),
    }
    with workspace(tmp_path, one) as store:
        asyncio.run(execute(one, store=store, targets=targets))
        analysis = analyse_run(store, RUN).analysis
    rows = {row.metric: row for row in analysis.dimension_rows}
    cells = {c.candidate: c.estimate for c in rows["fixed"].cells}
    # "knows" made no mistake that could be mended, the others nothing they could hold.
    assert (cells["knows"].value, cells["knows"].n_missing) == (None, 0)
    assert (cells["learns"].value, cells["learns"].n_samples, cells["learns"].n_missing) == (
        1,
        6,
        0,
    )
    assert set(rows["fixed"].rank_sets) == {"learns", "also"}
    assert all("same command" not in found.do for found in analysis.findings)
    assert all("not ranked" not in found.text for found in analysis.findings)
