"""What a plan cannot count call by call: questions to judges, steps of tool loops.

Both are upper bounds told beside the plan, for they depend on the answers.
"""

from __future__ import annotations

from collections.abc import Sequence

from befit.core.completion import Completion
from befit.core.fingerprint import canonical_json, fingerprint
from befit.core.message import Message
from befit.core.protocols import Scorer
from befit.core.sample import Sample, ScorerSpec
from befit.core.scenario import Scenario
from befit.core.trial import Trial, TrialKey
from befit.engine.building import build_scorer
from befit.engine.judging import AGAIN, Asking
from befit.engine.plan_warnings import WarningCode
from befit.scorers.judge_options import BASELINE

LOOKED_AT = 1_000
"""Samples whose questions are counted one by one; the rest as the one that brings most."""


def judge_calls(scenario: Scenario, *, n_trials: int) -> int:
    """Return how many questions judges will be asked at most about `n_trials` answers.

    Those that are asked a second time, for the judges' self-agreement, are among them.
    """
    spec = scenario.spec
    if not spec.judges:
        return 0
    built: dict[str, Scorer] = {}
    n_samples = asked = most = 0
    for sample in scenario.samples.load():
        n_samples += 1
        if n_samples > LOOKED_AT:
            asked += most
            continue
        own = _questions((*spec.scorers, *sample.checks), sample, built)
        asked, most = asked + own, max(most, own)
    if not n_samples:
        return 0
    once = asked * n_trials // n_samples
    return (once + min(AGAIN, once)) * len(spec.judges)


def _questions(specs: Sequence[ScorerSpec], sample: Sample, built: dict[str, Scorer]) -> int:
    """Return the questions that one answer brings about; asked on made-up answers."""
    count = 0
    for spec in specs:
        key = canonical_json([spec.name, spec.options])
        if key not in built:
            built[key] = build_scorer(spec, where="the plan")
        scorer = built[key]
        if isinstance(scorer, Asking):
            shown = sample
            if getattr(scorer, "against", None) is not None:
                given = {BASELINE: "Another answer.", **sample.vars}
                shown = sample.model_copy(update={"vars": given})
            count += len(scorer.ask(shown, _answered()))
    return count


def _answered() -> Trial:
    text = "An answer."
    return Trial(
        key=TrialKey(fingerprint("plan"), "", "", "", 0),
        transcript=(Message(role="assistant", content=text),),
        completions=(Completion(text=text, finish_reason="stop"),),
    )


def beyond(
    scenario: Scenario, *, n_trials: int, n_worlds: int = 0
) -> list[tuple[WarningCode, str]]:
    """Return (code, sentence) for what comes on top of the calls that are counted.

    `n_worlds` samples bring a world of their own, which answers tools.
    """
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
    if spec.user is not None:
        text = f"a conversation with a simulated user takes up to {spec.caps.turns} turns, each"
        text = f"{text} a call to the candidate and one to the user; one call is counted"
        told.append(("simulated_user", text))
    if (spec.world is not None or n_worlds) and spec.caps.steps > 1:
        told.append(
            (
                "tool_steps",
                f"a trial with tools takes up to {spec.caps.steps} calls; one is counted",
            )
        )
    return told
