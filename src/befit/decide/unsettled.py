"""What keeps a tier open besides too few samples: what was never measured, and by what it would be.

No number of samples settles a gate that this run does not measure at all, nor what the policy
requires and nobody stated. Each is named with what would settle it, and only candidates that
samples can settle are counted in samples.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from befit.analysis.engineering_cost import tries_of_unknown_cost
from befit.analysis.results import COVERAGE
from befit.decide.amounts import plain
from befit.decide.choosing import Choice
from befit.decide.frontier import beaten
from befit.decide.gates import ELSEWHERE, MEASURED_BY, PASS_NAMES, estimate_of, requirement_verdicts
from befit.decide.tiers import values
from befit.stats.distributions import one_sided

CLOSE = "too close to a limit for more samples to settle it"


@dataclass(frozen=True, slots=True, kw_only=True)
class Unsettled:
    """Why a tier is open between some candidates."""

    samples: int | None
    """In all, by which every one of `by_samples` is settled."""
    by_samples: tuple[str, ...]
    lacking: tuple[str, ...]
    """What no samples settle, in clauses."""


def unsettled(choice: Choice, tier: int, rivals: Sequence[int]) -> Unsettled:
    """Return what would settle a tier that is open between `rivals`."""
    chosen = choice.routes.get(tier)
    open_ = [m for m in rivals if m != chosen]
    names = choice.evidence.candidates
    counts = {m: choice.samples_needed(tier, m) for m in open_}
    needs = {m: n for m, n in counts.items() if n is not None}
    facts = [(m, tuple(_facts(choice, tier, m))) for m in open_]
    lacking = [text for text, who in _grouped(facts, names)]
    close = [names[m] for m, found in facts if not found and m not in needs]
    if close and (lacking or needs):
        verb = "is" if len(close) == 1 else "are"
        it = "it" if len(close) == 1 else "them"
        lacking.append(f"{listed(close)} {verb} {CLOSE.removesuffix('it')}{it}")
    elif close:
        lacking.append(CLOSE)
    return Unsettled(
        samples=max(needs.values(), default=None),
        by_samples=tuple(names[m] for m in needs),
        lacking=tuple(lacking),
    )


def idle(choice: Choice, tier: int) -> frozenset[int]:
    """Return whom no samples can make the choice of a tier, since the chosen one beats them.

    That is on the frontier's criteria, and where anything but quality is preferred by the cost
    per task, too: who costs more per success may still cost less per task.
    """
    chosen, view = choice.routes.get(tier), choice.views[tier]
    if chosen is None:
        return frozenset()
    cost = values(view.cost)
    dearer = cost >= cost[chosen]  # not told of an unknown one
    out = beaten(view)[chosen] & (dearer | (choice.policy.prefer == "quality"))
    return frozenset(np.flatnonzero(out).tolist())


def listed(found: Sequence[str]) -> str:
    """Return names as a list in words."""
    return " and ".join([", ".join(found[:-1]), found[-1]] if len(found) > 1 else found)


def judges_word(choice: Choice, tier: int) -> Iterator[str]:
    """Yield whose word the quality is by which a tier would be chosen, if an uncalibrated judge's.

    Nothing where a gate says the same.
    """
    gated = {
        placed.scenario.name
        for placed in choice.judgement.gates[tier]
        if placed.gate.metric in PASS_NAMES
    }
    if names := [name for name in choice.judges_word[tier] if name not in gated]:
        yield (
            f"its quality on {listed(names)} is the word of an uncalibrated judge; run `befit "
            "review create`, or add a score that no judge gives"
        )


def lost(choice: Choice, tier: int, candidate: int) -> Iterator[str]:
    """Yield of which scenarios too many samples of a candidate have no value, and how many."""
    for one in choice.views[tier].scenarios:
        if (gap := one.lacking(candidate)) is not None:
            yield (
                f"{gap[0]:,} of the {gap[1]:,} planned samples of {one.name} "
                f"({plain(100 * gap[0] / gap[1])} %) have no value"
            )


def not_measured_enough(choice: Choice, tier: int, candidate: int) -> Iterator[str]:
    """Yield why a candidate cannot be chosen for want of values, with `{who}` for its name."""
    if found := tuple(lost(choice, tier, candidate)):
        yield (
            f"{{who}} is not measured enough: {listed(found)}, and at most "
            f"{100 * (1 - COVERAGE):.0f} % may lack one; `befit run` asks for them again"
        )


def _facts(choice: Choice, tier: int, candidate: int) -> Iterator[str]:
    """Yield what was not measured of a candidate, with `{who}` for its name."""
    unstated = [
        one.gate.metric
        for one in requirement_verdicts(choice.evidence, choice.policy, candidate)
        if one.verdict == "insufficient_evidence"
    ]
    if unstated:
        verb, it = ("is", "it") if len(unstated) == 1 else ("are", "them")
        yield (
            f"{listed(unstated)} of {{who}} {verb} not stated, so write {it} under `traits` of "
            "the candidate"
        )
    yield from judges_word(choice, tier)
    if choice.views[tier].quality[candidate].value is not None:
        yield from not_measured_enough(choice, tier, candidate)
    level = one_sided(choice.judgement.joint_level)
    for placed in choice.judgement.gates[tier]:
        metric, scenario = placed.gate.metric, placed.scenario.name
        found = estimate_of(choice.evidence, placed, candidate, level=level)
        if found.value is None:
            yield f"{metric} on {scenario} is not measured for {{who}} ({found.method})"
            continue
        untold = placed.scenario.untold_of(candidate)
        if untold and metric.startswith("cost") and found.value <= placed.gate.limit:
            tries = tries_of_unknown_cost(untold)
            yield f"{metric} on {scenario} of {{who}} is at least what is told: {tries}"
            continue
        beside = placed.gate.metric in ELSEWHERE
        alone = choice.judgement.alone(placed, candidate, choice.judgement.tests)
        if beside and alone == "insufficient_evidence":
            more = MEASURED_BY[placed.gate.metric]
            yield f"{metric} on {scenario} of {{who}} is not settled by samples but by {more}"


def _grouped(
    facts: Iterable[tuple[int, tuple[str, ...]]], names: Sequence[str]
) -> list[tuple[str, tuple[str, ...]]]:
    """Put the candidates of which the same is missing into one clause."""
    found: dict[str, list[str]] = {}
    for m, texts in facts:
        for text in texts:
            found.setdefault(text, []).append(names[m])
    return [(text.replace("{who}", listed(who)), tuple(who)) for text, who in found.items()]
