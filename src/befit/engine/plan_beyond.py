"""What a plan cannot count call by call: questions to judges, steps of tool loops.

Both are upper bounds told beside the plan, for they depend on the answers.
"""

from __future__ import annotations

from collections.abc import Sequence

from befit.core.completion import Completion
from befit.core.fingerprint import fingerprint
from befit.core.message import Message
from befit.core.sample import Sample, ScorerSpec
from befit.core.scenario import Scenario
from befit.core.trial import Trial, TrialKey
from befit.engine.building import build_scorer
from befit.engine.judging import Asking
from befit.engine.plan_warnings import WarningCode
from befit.scorers.judge_options import BASELINE


def judge_calls(scenario: Scenario, *, n_trials: int) -> int:
    """Return how many questions judges will be asked at most about `n_trials` answers."""
    spec = scenario.spec
    if not spec.judges:
        return 0
    sample = next(iter(scenario.samples.load()), None)
    if sample is None:
        return 0
    own = _questions(spec.scorers, sample)
    return (own + _questions(sample.checks, sample)) * len(spec.judges) * n_trials


def _questions(specs: Sequence[ScorerSpec], sample: Sample) -> int:
    """Return the questions that one answer brings about; asked on made-up answers."""
    count = 0
    opposed = sample.model_copy(update={"vars": {BASELINE: "Another answer.", **sample.vars}})
    for spec in specs:
        scorer = build_scorer(spec, where="the plan")
        if isinstance(scorer, Asking):
            rival = getattr(scorer, "against", None) is not None
            count += len(scorer.ask(opposed if rival else sample, _answered()))
    return count


def _answered() -> Trial:
    text = "An answer."
    return Trial(
        key=TrialKey(fingerprint("plan"), "", "", "", 0),
        transcript=(Message(role="assistant", content=text),),
        completions=(Completion(text=text, finish_reason="stop"),),
    )


def beyond(scenario: Scenario, *, n_trials: int) -> list[tuple[WarningCode, str]]:
    """Return (code, sentence) for what comes on top of the calls that are counted."""
    spec = scenario.spec
    told: list[tuple[WarningCode, str]] = []
    asked = judge_calls(scenario, n_trials=n_trials)
    if asked:
        told.append(
            (
                "judge_calls",
                f"up to {asked:,} questions to judges come on top of the calls counted here",
            )
        )
    if spec.world is not None and spec.caps.steps > 1:
        told.append(
            (
                "tool_steps",
                f"a trial with tools takes up to {spec.caps.steps} calls; one is counted",
            )
        )
    return told
