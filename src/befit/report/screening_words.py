"""A screening in words: numbers in the table's own unit, verdicts, and what it says in short."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from befit.core.estimate import Estimate
from befit.core.screening import (
    BenchmarkInfo,
    Composite,
    Disagreement,
    Neighbours,
    RankGroups,
    Screening,
    Verdict,
)
from befit.core.written import between, in_percent, many

OUTCOMES = {"cleared": "✓ cleared", "excluded": "✕ excluded", "cannot_tell": "? cannot tell"}
LEVELS = {
    "none": "no evidence",
    "weak": "weak evidence",
    "strong": "strong evidence",
    "not_enough": "not enough to say",
}
MANY = 1000
TINY = 1e-9


def decimals(anchors: tuple[float, float] | None, *, n: int) -> int:
    """Return the decimals that a value of this scale and n deserves."""
    if anchors is None:
        return 0
    span = anchors[1] - anchors[0]
    places = 0 if span > 50 else 1 if span > 5 else 2  # noqa: PLR2004 - percent, points, fractions
    return places + (n >= MANY)


def number(value: float | None, places: int) -> str:
    """Return a number; `?` where nothing bounds it."""
    return "?" if value is None else f"{value:,.{places}f}".replace("-", "−")


def native(estimate: Estimate, anchors: tuple[float, float] | None) -> str:
    """Return value and interval in the unit of the table."""
    places = decimals(anchors, n=estimate.n_samples)
    if estimate.value is None and estimate.low is None:
        return estimate.method
    shown = "" if estimate.value is None else number(estimate.value, places) + " "
    if estimate.low is None and estimate.high is None:
        return f"{shown}(no noise known)"
    low, high = (None if b is None else number(b, places) for b in (estimate.low, estimate.high))
    return f"{shown}[{between(low, high)}]"


def anchors_of(screening: Screening) -> dict[str, tuple[float, float] | None]:
    """Return the scale of every benchmark; composites and skills are 0 to 100."""
    return {info.name: info.anchors for info in screening.benchmarks}


def scale_of(verdict: Verdict, anchors: dict[str, tuple[float, float] | None]) -> tuple | None:  # type: ignore[type-arg]  # a pair or nothing
    """Return the scale that a verdict is on."""
    return anchors.get(verdict.on) if verdict.level == "benchmark" else (0.0, 100.0)


def verdict_text(verdict: Verdict) -> str:
    """Return the outcome in words, with what would settle it."""
    text = OUTCOMES[verdict.outcome]
    if verdict.by_a_hair:
        text += ", by a hair"
    if verdict.items_needed is not None and verdict.items_needed > verdict.estimate.n_samples:
        text += f"; about {many(verdict.items_needed, 'item')} would settle it"
    return text


def line_text(verdict: Verdict) -> str:
    """Return the cut-off with its margin."""
    cut = verdict.cut_off
    return f"{cut.at:g} − {cut.margin:g}" if cut.margin else f"{cut.at:g}"


def headline(screening: Screening) -> tuple[str, ...]:
    """Return what the screening says in a few sentences, the most important first."""
    counts = Counter(one.outcome for one in screening.models)
    said = []
    if screening.verdicts:
        said.append(
            f"Of {many(screening.n_models, 'model')} {counts['excluded']} excluded, "
            f"{counts['cleared']}"
            f" cleared, {counts['cannot_tell']} cannot be told; those cleared are not ranked."
        )
    else:
        said.append(
            f"{many(screening.n_models, 'model')} on "
            f"{many(len(screening.benchmarks), 'benchmark')}; no cut-off is"
            " stated, so nobody is excluded."
        )
    hairs = sorted({v.model for v in screening.verdicts if v.by_a_hair})
    if hairs:
        said.append(f"By a hair: {names(hairs)}.")
    within, pairs = neighbours_within(screening.groups)
    if pairs:
        said.append(f"In {within} of {pairs} neighbouring pairs the gap is smaller than the noise.")
    saturated = [info.name for info in screening.benchmarks if info.saturated]
    if saturated:
        said.append(f"Saturated, so their weight is in question: {names(saturated)}.")
    said += [composite_text(one) for one in screening.composites]
    if screening.uncovered:
        said.append(f"No benchmark here touches: {names(screening.uncovered)}.")
    return tuple(said)


def screening_line(screening: Screening | None) -> tuple[str, ...]:
    """Return the short forms' one sentence on screening; nothing where nobody screened."""
    if screening is None:
        return ()
    tables = names(screening.tables, 2)
    return (f"Public benchmarks ({tables}, {screening.made_on[:10]}): {headline(screening)[0]}",)


def neighbours_within(groups: Sequence[RankGroups]) -> tuple[int, int]:
    """Return how many neighbouring pairs lie within their noise, and how many have a noise."""
    known = [one for group in groups for one in group.neighbours if one.within_noise is not None]
    return sum(bool(one.within_noise) for one in known), len(known)


def names(items: Sequence[str], most: int = 5) -> str:
    """Join a few names."""
    shown = ", ".join(items[:most])
    return shown if len(items) <= most else f"{shown} and {len(items) - most} more"


def chance(value: float) -> str:
    """Return a chance in percent; a small one is not none."""
    if 0 < value < 0.005:  # noqa: PLR2004 - would be written as 0
        return "under 1 %"
    return f"{in_percent(value)} %"


def composite_text(one: Composite) -> str:
    """Return who is first on a composite and how much that hangs on the weights."""
    if one.first is None:
        return f"Composite “{one.name}”: no model has a result on all of its benchmarks."
    leader = next(entry for entry in one.entries if entry.model == one.first)
    if leader.p_first is None:
        return f"Composite “{one.name}”: {one.first} is the only complete model."
    text = (
        f"Composite “{one.name}”: {one.first} is first in {chance(leader.p_first)} of all drawn"
        " weights and scores"
    )
    if one.flip is not None:
        text += (
            f"; {one.flip.benchmark} at {in_percent(one.flip.weight)} % instead of"
            f" {in_percent(one.flip.stated)} % of the weight puts {one.flip.winner} first"
        )
    else:
        text += "; no change of one weight takes it from there"
    holes = sum(entry.n_missing > 0 for entry in one.entries)
    if holes:
        text += f". {holes} models lack a result and take no part"
    return text + "."


def neighbour_text(one: Neighbours, info: BenchmarkInfo | None) -> str:
    """Return the gap of two neighbours against its noise."""
    anchors = None if info is None else info.anchors
    places = max(decimals(anchors, n=MANY), 1)
    gap = number(one.gap, places)
    if one.noise is None:
        return f"gap {gap}, no noise known"
    told = "smaller than the noise" if one.within_noise else "larger than the noise"
    runs = ""
    if one.run_noise is not None:
        runs = f"; between runs alone ±{number(one.run_noise, places)}"
    return f"gap {gap} is {told} (±{number(one.noise, places)}){runs}"


def disagreement_text(one: Disagreement) -> str:
    """Return on how many pairs two metrics disagree."""
    text = f"{one.n_disagree} of {one.n_pairs} pairs of {one.n_models} models in opposite order"
    if one.correlation is not None:
        text += f" (rank correlation {one.correlation:.2f})".replace("-", "−")
    if one.cut_offs:
        text += f"; cleared by one, excluded by the other: {names(one.cut_offs)}"
    return text


def saturation_text(info: BenchmarkInfo) -> str:
    """Return what a benchmark can still tell at its top."""
    parts = []
    if info.best_share is not None:
        parts.append(f"{in_percent(info.best_share)} % of the ceiling reached")
    if info.top_spread is not None:
        places = max(decimals(info.anchors, n=MANY), 1)
        noise = "noise not known"
        if info.top_noise is not None:
            noise = f"equals would spread {number(info.top_noise, places)}"
        parts.append(f"top five spread over {number(info.top_spread, places)}, {noise}")
    return "; ".join(parts)
