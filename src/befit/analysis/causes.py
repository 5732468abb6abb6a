"""Looks for causes when a model "got dumber": settings, batching, a context that is cut.

Each is a comparison on the same samples with one thing varied. A cut of the context
shows in two ways: the beginning of a long text is not known, and fewer tokens are
billed than were sent. How many were sent is not guessed from somebody's tokenizer, but
carried on from the shortest texts of the same kind, at the same endpoint. Samples count by their
weight and in their clusters, as everywhere; texts with a marker are all alike.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from befit.analysis.causes_result import Beginning, Cause, Causes, Contrast, differs
from befit.analysis.columns import Floats, Ints
from befit.analysis.items import estimate_over_items
from befit.analysis.traits import Traits, design_of
from befit.core.estimate import Estimate, not_measured
from befit.core.written import many
from befit.stats.means import estimate_mean
from befit.stats.paired import Difference, paired_difference
from befit.stats.ratio import estimate_ratio

KNOWN = 0.5
"""A share of the shortest texts' markers that has to come back before longer ones tell anything."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """What one way of asking gave of one sample, over its repeats (missing ones left out)."""

    passed: tuple[float, ...]
    outputs: tuple[str, ...]
    tokens: tuple[int, ...]
    """Output tokens, where all were told."""
    served: tuple[str, ...] = ()
    cluster: str | None = None
    """Of the sample; None: it stands alone."""
    weight: float = 1.0


Way = Mapping[str, Measured]
"""Sample id -> what was measured."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sent:
    """One text with a marker: how long it was, what came back."""

    tokens: int
    chars: int
    named: bool
    billed: int | None
    refused: bool = False
    """The provider would not take it."""


def contrast(
    cause: Cause, ways: tuple[str, str], base: Way, other: Way, *, again: Way | None = None,
    planned: int,
) -> Contrast:  # fmt: skip
    """Return what differs between two ways of asking the same samples.

    Args:
        cause: `settings` or `batching`.
        ways: the base and the other in words.
        base: what the base way gave.
        other: what the other way gave.
        again: a second measurement the base way: how much changes by itself.
        planned: trials of both ways that were to be measured.
    """
    shared = sorted(
        sample
        for sample in base.keys() & other.keys()
        if base[sample].passed and other[sample].passed
    )
    trials = sum(len(way[sample].passed) for way in (base, other) for sample in shared)
    missing = max(
        0, planned - sum(len(one.passed) for way in (base, other) for one in way.values())
    )
    traits = {sample: (base[sample].cluster, base[sample].weight) for sample in shared}
    at_base = [_mean(base[sample].passed) for sample in shared]
    at_other = [_mean(other[sample].passed) for sample in shared]
    design = design_of(shared, traits)
    found = _difference(at_other, at_base, design)
    moved = [_changed(base[sample], other[sample]) for sample in shared]
    both = [sample for sample in shared if again is not None and sample in again]
    by_itself = [_changed(base[sample], again[sample]) for sample in both] if again else []
    more = _difference(
        [_changed(base[sample], other[sample]) for sample in both],
        by_itself,
        design_of(both, traits),
    ).estimate
    return Contrast(
        cause=cause,
        base=ways[0],
        other=ways[1],
        at_base=_rate(at_base, trials // 2, design),
        at_other=_rate(at_other, trials // 2, design),
        difference=found.estimate,
        p_value=found.p_value,
        length=_length(shared, base, other, traits),
        changed=_rate(moved, trials, design),
        changed_anyway=_rate(by_itself, trials, design_of(both, traits)),
        changed_more=more,
        served=tuple(
            sorted({who for way in (base, other) for one in way.values() for who in one.served})
        ),
        missing=missing,
    )


def beginnings(sent: Sequence[Sent]) -> tuple[Beginning, ...]:
    """Return what became of the beginnings of texts, the shortest first."""
    lengths = sorted({one.tokens for one in sent})
    groups = [[one for one in sent if one.tokens == length] for length in lengths]
    billed = [_mean_or_none([one.billed for one in group]) for group in groups]
    chars = [sum(one.chars for one in group) / len(group) for group in groups]
    due = _due(chars, billed)
    return tuple(
        Beginning(
            tokens=length,
            named=estimate_mean(
                [float(one.named) for one in group], n_trials=len(group), n_missing=0, binary=True
            ),
            refused=sum(one.refused for one in group),
            billed=billed[place],
            counted=due[place],
        )
        for place, (length, group) in enumerate(zip(lengths, groups, strict=True))
    )


def _due(chars: Sequence[float], billed: Sequence[float | None]) -> list[float | None]:
    """Return the tokens due at each length, carried on in a line from the two shortest."""
    if len(chars) < 2 or billed[0] is None or billed[1] is None:  # noqa: PLR2004 - a line needs two
        return [None] * len(chars)
    rate = (billed[1] - billed[0]) / (chars[1] - chars[0])
    start = billed[0]
    if rate <= 0:
        return [None] * len(chars)  # cut already at the second: nothing to carry on from
    return [start + rate * (length - chars[0]) for length in chars]


def says(causes: Causes) -> tuple[str, ...]:
    """Return what the search found, a sentence for each comparison."""
    told = [_contrast_says(causes, one) for one in causes.contrasts]
    if causes.beginnings:
        told.append(_beginning_says(causes))
    if causes.unanswered:
        lost = f"{causes.candidate}: {causes.unanswered} texts with a marker were not answered"
        why = (
            "nothing tells of a cut at their length"
            if causes.beginnings
            else ("so nothing tells whether the context is cut")
        )
        told.append(f"{lost}, {why}.")
    return tuple(told)


def _contrast_says(causes: Causes, one: Contrast) -> str:
    what = f"{causes.candidate} on {causes.scenario}, {one.other} against {one.base}"
    if one.outcome == "not_measured":
        return f"{what}: nothing was measured both ways."
    seen: list[str] = []
    gap = one.difference
    if gap.value is not None and differs(gap, 0.0):
        word = "more" if gap.value > 0 else "fewer"
        seen.append(f"{abs(100 * gap.value):.0f} points {word} pass")
    length = one.length
    if length.value is not None and differs(length, 1.0):
        seen.append(f"answers are {length.value:.2f} times as long")
    more = one.changed_more
    if more.value is not None and more.low is not None and more.low > 0:
        seen.append(f"{100 * more.value:.0f} points more of the answers change than by themselves")
    lost = f" ({many(one.missing, 'trial')} missing)" if one.missing else ""
    if not seen:
        return f"{what}: no difference beyond chance{lost}."
    return f"{what}: {', '.join(seen)}{lost}."


def _beginning_says(causes: Causes) -> str:
    who = causes.candidate
    short = [one for one in causes.beginnings if one.short]
    first = causes.beginnings[0].named
    if (first.value or 0.0) < KNOWN and not short:
        return (
            f"{who}: not even the beginning of texts of {causes.beginnings[0].tokens} tokens is"
            " given back, so a cut of longer ones would not show."
        )
    lost = [
        one
        for one in causes.beginnings[1:]
        if one.named.high is not None and first.low is not None and one.named.high < first.low
    ]
    longest = causes.beginnings[-1]
    refused = [one for one in causes.beginnings if one.refused]
    if refused:
        return f"{who}: texts of about {refused[0].tokens} tokens are refused, none is cut unsaid."
    told: list[str] = []
    if lost:
        told.append(
            f"the beginning of a text is no longer known from about {lost[0].tokens} tokens on"
        )
    if short:
        one = short[0]
        told.append(
            f"of about {one.counted:.0f} tokens sent {one.billed:.0f} are billed at {one.tokens}"
        )
    if lost and short:
        return f"{who}: {' and '.join(told)}: the context is cut before the model sees it."
    if told:
        return f"{who}: {told[0]}."
    if longest.counted is None:
        return f"{who}: no beginning is lost up to {longest.tokens} tokens; none are counted."
    return f"{who}: no cut of the context up to {longest.tokens} tokens."


def _changed(one: Measured, two: Measured) -> float:
    """Return the share of repeats whose answers are not the same text."""
    pairs = list(zip(one.outputs, two.outputs, strict=False))
    return sum(a != b for a, b in pairs) / len(pairs) if pairs else 0.0


_Design = tuple[Ints | None, Floats | None]
"""Clusters and weights of the samples."""


def _difference(other: Sequence[float], base: Sequence[float], design: _Design) -> Difference:
    if not base:
        return Difference(estimate=not_measured("nothing was measured both ways"), p_value=None)
    return paired_difference(
        other,
        base,
        binary_single=False,
        rng=np.random.default_rng(0),
        clusters=design[0],
        weights=design[1],
    )


def _rate(means: Sequence[float], trials: int, design: _Design) -> Estimate:
    if not means:
        return not_measured("nothing was measured both ways")
    return estimate_over_items(
        np.array(means),
        n_trials=trials,
        n_missing=0,
        binary=False,
        clusters=design[0],
        weights=design[1],
    )


def _length(shared: Sequence[str], base: Way, other: Way, traits: Traits) -> Estimate:
    told = [sample for sample in shared if base[sample].tokens and other[sample].tokens]
    if not told:
        return not_measured("the provider counted no tokens")
    clusters, weights = design_of(told, traits)
    own = np.ones(len(told)) if weights is None else weights
    found = estimate_ratio(
        own * [_mean(other[sample].tokens) for sample in told],
        own * [_mean(base[sample].tokens) for sample in told],
        n_trials=sum(len(way[s].tokens) for way in (base, other) for s in told),
        n_missing=len(shared) - len(told),
        clusters=clusters,
    )
    return found if weights is None else replace(found, method=f"weighted, {found.method}")


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def _mean_or_none(values: Sequence[int | None]) -> float | None:
    told = [value for value in values if value is not None]
    return sum(told) / len(told) if told else None
