"""What a decision tells of costs beside failed tries of unknown cost: at least so much."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from analysis_ground import fact, manifest, spec
from befit.analysis.engineering import engineering_cells
from befit.analysis.frame import build_frame
from befit.core.policy import Gate, Policy
from befit.decide.reading import read_evidence
from befit.decide.record import decide
from decision_worlds import evidence_of, scenario_of

N = 40
TRIES = "3 failed tries of unknown cost"


def frame(untold, costs=(("a", 0.001), ("b", 0.002))):
    """b has so many failed tries of which nobody told the cost."""
    rows = [
        fact(name, f"s{i}", 1.0, cost=cost, untold_tries=int(name == "b" and i < untold))
        for name, cost in costs
        for i in range(N)
    ]
    return build_frame(manifest([name for name, _ in costs], [(spec(tier="t"), N)]), rows, ())


def test_a_decision_marks_the_costs_that_the_report_marks():
    made = frame(3)
    first, second = decide(read_evidence(made, tiers=()), Policy()).tiers[0].standings
    reported = {c.candidate: c for c in engineering_cells(made)}
    for own in (first, second):
        told = reported[own.candidate]
        assert own.cost_per_task == told.cost_per_task
        assert own.cost_per_success == told.cost_per_success
        assert own.untold_tries == told.untold_tries
    assert (first.untold_tries, second.untold_tries) == (0, 3)
    assert second.cost_per_task.high is None
    assert second.cost_per_task.method.endswith(f"at least, without {TRIES}")


def test_a_gate_on_a_cost_of_which_a_part_is_unknown_is_not_met():
    policy = Policy(gates=(Gate(metric="cost", ceiling=0.01),))
    known, open_ = (decide(read_evidence(frame(n), tiers=()), policy) for n in (0, 3))
    assert [v.verdict for v in known.verdicts] == ["pass", "pass"]
    assert [v.verdict for v in open_.verdicts] == ["pass", "insufficient_evidence"]
    assert open_.verdicts[1].samples_needed is None
    # what is known to be too much is too much, whatever else was billed
    dear = Policy(gates=(Gate(metric="cost", ceiling=0.0015),))
    assert decide(read_evidence(frame(3), tiers=()), dear).verdicts[1].verdict == "fail"


def test_what_is_open_names_the_tries_that_nobody_told_the_cost_of():
    told = decide(read_evidence(frame(3), tiers=()), Policy()).open_questions
    assert f"t: b costs at least what is told: {TRIES} may have been billed, too." in told
    policy = Policy(gates=(Gate(metric="cost", ceiling=0.01),))
    (tier,) = decide(read_evidence(frame(3, costs=[("b", 0.002)]), tiers=()), policy).tiers
    assert (tier.outcome, tier.contenders) == ("not_decided", ("b",))
    assert tier.lacking == (f"cost on task of b is at least what is told: {TRIES}",)


@pytest.mark.parametrize(("chosen", "rival"), [(3, 0), (0, 3)])
def test_a_saving_has_no_limit_on_the_side_that_nobody_told(chosen, rival):
    # `cheap` passes on easy alone, `dear` on both: two models, or dear alone
    easy = scenario_of("easy", "e", np.ones((2, N)), cost=np.repeat([[0.001], [0.004]], N, axis=1))
    hard = scenario_of("hard", "h", np.repeat([[0.0], [1.0]], N, axis=1),
                       cost=np.repeat([[0.001], [0.004]], N, axis=1), floor=0.5)  # fmt: skip
    easy = replace(easy, untold=(chosen, rival))
    found = decide(evidence_of(("cheap", "dear"), [easy, hard]), Policy()).combination
    assert (found.models, found.one_model) == (2, "dear")
    assert found.saving.value == pytest.approx(1000 * 0.003)
    assert (found.saving.low is None, found.saving.high is None) == (bool(chosen), bool(rival))
    assert (found.untold_tries, found.cost.high is None) == (chosen, bool(chosen))
    assert TRIES in found.saving.method
