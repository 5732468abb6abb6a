"""A cost beside failed tries of unknown cost is a least one: it says so and has no upper limit."""

from __future__ import annotations

from analysis_ground import fact, manifest, spec
from befit.analysis.engineering import engineering_cells
from befit.analysis.frame import build_frame
from befit.report.figures import COSTS


def cell(facts):
    return engineering_cells(build_frame(manifest(["a"], [(spec(), len(facts))]), facts, ()))[0]


def test_tries_of_unknown_cost_leave_the_upper_limit_open():
    facts = [fact("a", f"s{i}", 1.0, calls=1, untold_tries=i % 2) for i in range(10)]
    found = cell(facts)
    assert found.untold_tries == 5
    for cost in (found.cost_per_call, found.cost_per_task, found.cost_per_success):
        assert cost.value is not None
        assert cost.high is None
        assert "5 failed tries of unknown cost" in cost.method
    shown = [one.text(found) for one in COSTS if one.attribute == "cost_per_task"]
    assert shown == ["at least $1.00 [1.00 or more], 5 failed tries of unknown cost"]


def test_without_such_tries_and_in_earlier_runs_a_cost_is_as_it_was():
    for untold in (0, None):
        found = cell([fact("a", f"s{i}", 1.0, calls=1, untold_tries=untold) for i in range(10)])
        assert (found.untold_tries, found.cost_per_task.high) == (0, found.cost_per_task.value)
