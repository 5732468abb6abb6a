"""What a plan warns of: settings under which the results will say less than one thinks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from befit.core.run import ManifestCandidate, RunSettings
from befit.core.scenario import ScenarioSpec
from befit.engine.prompt_variants import changes_nothing, made_for_another

LEAST_REPEATS = 3
"""Fewer repeats than this measure no stability."""

WarningCode = Literal[
    "few_repeats",
    "provider_default",
    "no_failure_modes",
    "no_scorers",
    "no_samples",
    "fixed_seed",
    "unknown_price",
    "no_max_tokens",
    "own_template",
    "same_wording",
    "other_prompt",
    "beyond_context",
    "judge_calls",
    "tool_steps",
    "simulated_user",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanWarning:
    """One warning: its code, what it is about (a scenario or candidate), and a sentence."""

    code: WarningCode
    subject: str
    text: str


def scenario_warnings(
    spec: ScenarioSpec, settings: RunSettings, *, n_samples: int, n_unchecked: int
) -> list[PlanWarning]:
    """Return what is odd about a scenario; `n_unchecked` samples have no checks of their own."""
    found: list[PlanWarning] = []

    def warn(code: WarningCode, text: str) -> None:
        found.append(PlanWarning(code=code, subject=spec.name, text=text))

    if n_samples == 0:
        warn("no_samples", "no live sample: nothing will be run")
    if n_unchecked and not (spec.scorers or spec.every_turn):
        some = "" if n_unchecked == n_samples else f"{n_unchecked:,} of {n_samples:,} samples have "
        text = f"{some}no scorer and no checks: the answers are stored, and stay unscored"
        warn("no_scorers", text)
    if not spec.failure_modes:
        warn("no_failure_modes", "no failure modes are named: failures are counted, not explained")
    same = changes_nothing(spec)
    if same:
        text = f"variants that change nothing in the template: {', '.join(same)}"
        warn("same_wording", text)
    strange = made_for_another(spec)
    if strange:
        text = f"variants made from another template than this one: {', '.join(strange)}"
        warn("other_prompt", text)
    if spec.critical and spec.repeats < LEAST_REPEATS:
        warn(
            "few_repeats",
            f"critical, but asked {spec.repeats} time(s): its stability is not measured "
            f"(at least {LEAST_REPEATS} repeats)",
        )
    elif settings.seed == "fixed":
        warn("fixed_seed", "the seed is fixed: all repeats are one call, stability not measured")
    return found


def candidate_warnings(entry: ManifestCandidate, settings: RunSettings) -> list[PlanWarning]:
    """Return what is odd about a candidate."""
    candidate = entry.candidate
    found: list[PlanWarning] = []

    def warn(code: WarningCode, text: str) -> None:
        found.append(PlanWarning(code=code, subject=candidate.name, text=text))

    sampling = candidate.sampling
    unset = [
        name for name in ("temperature", "top_p", "max_tokens") if getattr(sampling, name) is None
    ]
    if unset:
        warn("provider_default", f"provider default for: {', '.join(unset)}")
    if entry.price is None:
        more = ", and the spend cap does not count it" if settings.max_cost is not None else ""
        warn("unknown_price", f"no known price: its cost is unknown, not zero{more}")
    elif settings.max_cost is not None and sampling.max_tokens is None:
        warn(
            "no_max_tokens",
            "without max_tokens the spend cap reserves 128,000 output tokens for each call",
        )
    if candidate.prompt.templates:
        names = ", ".join(sorted(candidate.prompt.templates))
        warn("own_template", f"a template of its own for {names}: comparisons are confounded")
    return found
