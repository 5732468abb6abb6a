"""One rate of a pair is never shown alone."""

from __future__ import annotations

import asyncio

from befit.core.message import Message
from befit.core.sample import Sample, ScorerSpec
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
