"""How far a judge can be trusted: does it agree with itself, with its swap, with people?

Everything here takes verdicts as numbers in 0..1 and gives estimates. A judge that
prefers long answers, its own family, or whatever stands first is not wrong each
time, but its numbers are biased, and that has a size.

Samples are what is counted, by their weight and in their clusters: what a judge said of one
sample (of several answers to it, of its repeats) is averaged first. Only of a question asked
twice nobody says of which sample it is: these count alike.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean as mean
from statistics import median

import numpy as np

from befit.analysis.items import estimate_over_items
from befit.analysis.traits import Traits, design_of, kin_of, weights_of
from befit.core.estimate import Estimate, not_measured
from befit.stats.agreement import estimate_agreement, label_answers
from befit.stats.paired import paired_difference
from befit.stats.ppi import estimate_judged_mean
from befit.stats.twowindows import shared_rates
from befit.stats.votes import position_bias

ALIKE = "each question alike"
"""How what was asked twice counts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """One judge's verdict on one answer. `value` None: the reply was no verdict."""

    candidate: str
    sample_id: str
    repeat: int
    part: str
    value: float | None
    length: int
    """Characters of the judged answer."""
    order: str = ""
    """`as is` or `swapped` for pairs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeReliability:
    """One judge on one scenario. Every rate is an estimate; "not measured" says why."""

    judge: str
    scenario: str
    parsed: Estimate
    """Replies that were exactly one verdict."""
    self_agreement: Estimate
    """The same question twice: how often the same verdict."""
    flip_rate: Estimate
    """Pairs whose winner changed with the order."""
    first_p: float | None
    """p of "flips favour both places alike"; None without flips."""
    length_preference: Estimate
    """Verdicts on longer answers minus those on shorter ones (split at the median)."""
    family_preference: Estimate
    """Verdicts on the judge's own family minus the others', on the same samples."""


def reliability(
    judge: str,
    scenario: str,
    verdicts: Sequence[Verdict],
    *,
    again: Sequence[Sequence[str | None]] = (),
    family: Mapping[str, bool] | None = None,
    traits: Traits | None = None,
) -> JudgeReliability:
    """Return what a judge's verdicts say of the judge.

    Args:
        judge: its name.
        scenario: what it judged.
        verdicts: all of them.
        again: for each question asked repeatedly, its verdicts as text (None: no verdict).
        family: candidate -> whether it is of the judge's family.
        traits: what the samples say of themselves; all alike where nothing is told.
    """
    told = traits or {}
    flips, first_p = _flips(verdicts, told)
    return JudgeReliability(
        judge=judge,
        scenario=scenario,
        parsed=_over_samples([(v.sample_id, v.value is not None) for v in verdicts], told),
        self_agreement=_agreement(again),
        flip_rate=flips,
        first_p=first_p,
        length_preference=_length(verdicts, told),
        family_preference=_family(verdicts, family or {}, told),
    )


def _over_samples(found: Sequence[tuple[str, bool]], traits: Traits, *, each: int = 1) -> Estimate:
    """Return how often something holds, from one outcome of `each` verdicts on a sample."""
    by_sample: dict[str, list[bool]] = {}
    for sample, held in found:
        by_sample.setdefault(sample, []).append(held)
    clusters, weights = design_of(list(by_sample), traits)
    return estimate_over_items(
        np.array([mean(held) for held in by_sample.values()]),
        n_trials=each * len(found),
        n_missing=0,
        binary=True,
        clusters=clusters,
        weights=weights,
    )


def family_of(model: str) -> str:
    """Return the family of a model's name: `gpt-4o` and `gpt-4.1` are both `gpt`."""
    name = model.lower().rpartition("/")[2]
    found = re.match(r"[a-z]+", name)
    return found.group() if found else name


def corrected(
    labels: Mapping[tuple[str, str, int], float],
    verdicts: Sequence[Verdict],
    *,
    traits: Traits | None = None,
) -> dict[str, Estimate]:
    """Return each candidate's judged rate corrected by people's labels (PPI++).

    `labels` has the human verdict (0..1) on some answers by (candidate, sample,
    repeat); they must be a random sample of the judged answers. Repeats of a sample are
    not independent, so samples are what is counted; of a sample with labels its labelled
    answers count. What lies in 0..1 has its limits there.
    """
    found: dict[str, Estimate] = {}
    for candidate in dict.fromkeys(v.candidate for v in verdicts):
        judged: dict[tuple[str, str, int], list[float]] = {}
        for v in verdicts:
            if v.candidate == candidate and v.value is not None:
                value = 1 - v.value if v.order == "swapped" else v.value
                judged.setdefault((candidate, v.sample_id, v.repeat), []).append(value)
        means = {place: mean(values) for place, values in judged.items()}
        known: dict[str, list[tuple[float, float]]] = {}
        rest: dict[str, list[float]] = {}
        for place, value in means.items():
            if place in labels:
                known.setdefault(place[1], []).append((labels[place], value))
            else:
                rest.setdefault(place[1], []).append(value)
        unlabelled = {sample: own for sample, own in rest.items() if sample not in known}
        clusters, weights = design_of([*known, *unlabelled], traits or {})
        estimate = estimate_judged_mean(
            [mean(said for said, _ in pairs) for pairs in known.values()],
            [mean(value for _, value in pairs) for pairs in known.values()],
            [mean(values) for values in unlabelled.values()],
            units=clusters,
            sample_weights=weights,
        )
        n = sum(map(len, known.values()))
        if estimate.n_samples > len(known):  # else the labels speak alone
            n += sum(map(len, unlabelled.values()))
        found[candidate] = replace(_within(estimate), n_trials=n)
    return found


def _within(estimate: Estimate) -> Estimate:
    """Return the estimate of a rate with value and limits in 0..1."""

    def kept(number: float | None) -> float | None:
        return None if number is None else min(1.0, max(0.0, number))

    low, high = kept(estimate.low), kept(estimate.high)
    return replace(estimate, value=kept(estimate.value), low=low, high=high)


def _agreement(again: Sequence[Sequence[str | None]]) -> Estimate:
    rows = [row for row in again if len(row) > 1]
    if not rows:
        return not_measured("no question was asked twice")
    found = estimate_agreement(label_answers(rows))
    return found if found.value is None else replace(found, method=f"{found.method}, {ALIKE}")


def _flips(verdicts: Sequence[Verdict], traits: Traits) -> tuple[Estimate, float | None]:
    pairs: dict[tuple[str, str, int, str], dict[str, float]] = {}
    for v in verdicts:
        if v.order and v.value is not None:
            pairs.setdefault((v.candidate, v.sample_id, v.repeat, ""), {})[v.order] = v.value
    both = {at: pair for at, pair in pairs.items() if len(pair) == 2}  # noqa: PLR2004  # orders
    whole = list(both.values())
    if not whole:
        return not_measured("no pair was judged in both orders"), None
    # "first" is 1 in both orders; a judge that means the text says 1 and then 0.
    flipped = [pair["as is"] != 1 - pair["swapped"] for pair in whole]
    decided = [
        pair
        for pair, flip in zip(whole, flipped, strict=True)
        if flip and pair["as is"] == pair["swapped"]
    ]
    by_sample = [(at[1], flip) for at, flip in zip(both, flipped, strict=True)]
    estimate = _over_samples(by_sample, traits, each=2)
    if not decided:
        return estimate, None
    for_first = sum(pair["as is"] == 1.0 for pair in decided)
    n, kept = len(whole), len(whole) - len(decided)
    return estimate, position_bias(pairs=n, consistent=kept, for_first=for_first).p_value


def _length(verdicts: Sequence[Verdict], traits: Traits) -> Estimate:
    known = [v for v in verdicts if v.value is not None and v.order != "swapped"]
    if not known:
        return not_measured("no verdicts")
    middle = median(v.length for v in known)
    long = np.array([v.length > middle for v in known])
    ids = [v.sample_id for v in known]
    if long.all() or not long.any():
        return not_measured("all judged answers are of one length", n_samples=len({*ids}))
    half = 0.5
    found = shared_rates(
        [float((v.value or 0.0) > half) for v in known],
        long,
        units=kin_of(ids, traits),
        weights=weights_of(ids, traits),
    )
    return Estimate(
        value=found.value,
        low=found.low,
        high=found.high,
        n_samples=len({*ids}),
        n_trials=len(known),
        n_missing=0,
        method=f"{found.method}, split at {middle:g} characters",
    )


def _family(verdicts: Sequence[Verdict], family: Mapping[str, bool], traits: Traits) -> Estimate:
    if not any(family.values()) or all(family.values()):
        return not_measured("the judged are all of the judge's family, or none is")
    by_sample: dict[str, tuple[list[float], list[float]]] = {}
    for v in verdicts:
        if v.value is not None and v.order != "swapped":
            own, others = by_sample.setdefault(v.sample_id, ([], []))
            (own if family.get(v.candidate) else others).append(v.value)

    def mean(values: list[float]) -> float:
        return sum(values) / len(values) if values else float("nan")

    clusters, weights = design_of(list(by_sample), traits)
    return paired_difference(
        [mean(own) for own, _ in by_sample.values()],
        [mean(others) for _, others in by_sample.values()],
        binary_single=False,
        rng=np.random.default_rng(0),  # a fixed seed: the same verdicts, the same interval
        clusters=clusters,
        weights=weights,
    ).estimate
