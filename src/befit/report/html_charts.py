"""From results to charts: which numbers go into which picture, and what it says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from befit.analysis.profiles import signed
from befit.analysis.results import (
    APART,
    Analysis,
    EngineeringCell,
    FieldCell,
    MatrixRow,
    PairDifference,
    StabilityCell,
)
from befit.charts.dots import Dot, IntervalDots
from befit.charts.forest import Forest, Pair
from befit.charts.numbers import Unit, significant
from befit.charts.scatter import Scatter, Spot
from befit.charts.shares import Bar, ShareBars
from befit.charts.strips import Strip, Strips
from befit.core.estimate import Estimate
from befit.report.numbers import p_text, percent, same_value, tie_of_all
from befit.report.open_pairs import EXPLAINED, reason_of, unranked

VERDICTS = {
    "better": "better",
    "worse": "worse",
    "not_distinguishable": "not distinguishable",
    "not_ranked": "not ranked",
}
MANY_PAIRS = 12
"""More pairs than this, and the picture shows those with the best candidate only."""
LISTED = 5
"""More names than this are counted where they are all there are."""
THOUSAND = 1000


def order(analysis: Analysis) -> dict[str, int]:
    """Return the fixed place of each candidate."""
    return {name: index for index, name in enumerate(analysis.candidates)}


def best(row: MatrixRow) -> str | None:
    """Return the candidate with the highest value in a row, or None where nothing is measured.

    One that is not ranked is no leader where others are.
    """
    measured = [cell for cell in row.cells if cell.estimate.value is not None]
    measured = [cell for cell in measured if cell.candidate in row.rank_sets] or measured
    if not measured:
        return None
    return max(measured, key=lambda cell: cell.estimate.value or 0.0).candidate


def as_high_as(row: MatrixRow, candidate: str) -> tuple[str, ...]:
    """Return the others that have the same value as `candidate` in a row."""
    own = next(cell.estimate for cell in row.cells if cell.candidate == candidate)
    return tuple(
        cell.candidate
        for cell in row.cells
        if cell.candidate != candidate and same_value(cell.estimate, own)
    )


def worse_than(row: MatrixRow, candidate: str) -> tuple[str, ...]:
    """Return those shown by the corrected tests of a row to be worse than `candidate`."""
    found = {
        signed(d)[1] for d in row.differences if d.verdict in APART and signed(d)[0] == candidate
    }
    return tuple(cell.candidate for cell in row.cells if cell.candidate in found)


def tied_with(row: MatrixRow, candidate: str) -> tuple[str, ...]:
    """Return those that were compared with `candidate` and cannot be told from it."""
    found = {
        other
        for d in row.differences
        if d.verdict == "not_distinguishable" and candidate in (d.a, d.b)
        for other in (d.a, d.b)
    }
    return tuple(
        cell.candidate
        for cell in row.cells
        if cell.candidate in found - {candidate} and cell.estimate.value is not None
    )


def row_finding(row: MatrixRow) -> str:
    """Return in a sentence who leads a row and from whom it can be told."""
    leader = best(row)
    if leader is None:
        return "Not measured."
    shown = percent(next(c.estimate for c in row.cells if c.candidate == leader))
    if len(row.cells) == 1:
        return f"{leader}: {shown}."
    tie = tie_of_all([cell.estimate for cell in row.cells])
    if tie is not None:
        return f"All have the same value, {percent(tie)}: nobody leads."
    tied, worse, same = tied_with(row, leader), worse_than(row, leader), as_high_as(row, leader)
    if same:
        leader = f"{leader} (and as high: {', '.join(same)})"
    if len(tied) > LISTED and len(tied) == len(row.cells) - 1:
        return f"{leader} {shown} cannot be told from any of the {len(tied)} others."
    if not tied and not worse:
        return f"{leader} {shown}; there is nobody to compare it with."
    if not tied:
        return f"{leader} {shown} is better than every other candidate compared with it."
    apart = f"; it is better than {', '.join(worse)}" if worse else ""
    return f"{leader} {shown} cannot be told from {', '.join(tied)}{apart}."


def rank_dots(analysis: Analysis, row: MatrixRow) -> IntervalDots:
    """Return the values of a row with their intervals and letters, the best first."""
    places = order(analysis)
    cells = sorted(row.cells, key=lambda c: -(-1 if c.estimate.value is None else c.estimate.value))
    return IntervalDots(
        title=f"{row.title}: {row.metric_title.lower()}, 95 % intervals",
        finding=row_finding(row),
        dots=tuple(
            Dot(name=c.candidate, index=places[c.candidate], estimate=c.estimate, note=c.letters)
            for c in cells
        ),
        gate=row.threshold,
    )


def _flipped(estimate: Estimate) -> Estimate:
    """Return the estimate of B - A from that of A - B."""
    if estimate.value is None:
        return estimate
    low = None if estimate.high is None else -estimate.high
    high = None if estimate.low is None else -estimate.low
    return replace(estimate, value=-estimate.value, low=low, high=high)


def toward(difference: PairDifference, first: str) -> PairDifference:
    """Return the difference told from the side of `first`."""
    if difference.a == first or difference.b != first:
        return difference
    turned = {"better": "worse", "worse": "better"}
    return replace(
        difference,
        a=difference.b,
        b=difference.a,
        estimate=_flipped(difference.estimate),
        verdict=turned.get(difference.verdict, difference.verdict),  # type: ignore[arg-type]  # a verdict maps to a verdict
    )


def rank_forest(row: MatrixRow) -> Forest | None:
    """Return the paired differences of a row, those with the leader first; None without any."""
    leader = best(row)
    told = [toward(d, leader) if leader else d for d in row.differences]
    told = [d for d in told if d.estimate.value is not None]
    if not told:
        return None
    first = [d for d in told if d.a == leader]
    shown = (
        first if len(told) > MANY_PAIRS and first else first + [d for d in told if d.a != leader]
    )
    scope = f", compared with {leader}" if len(shown) < len(told) else ""
    open_pairs = sum(d.verdict == "not_distinguishable" for d in shown)
    return Forest(
        title=f"{row.title}: paired differences in points{scope}",
        finding=_forest_finding(shown, open_pairs, corrected=len(row.differences) > 1),
        corrected=len(row.differences) > 1,
        pairs=tuple(
            Pair(
                first=d.a,
                second=d.b,
                estimate=d.estimate,
                verdict=VERDICTS[d.verdict],
                settled=d.verdict in APART,
                p_value=p_text(d.p_adjusted),
                note=pair_note(d),
            )
            for d in shown
        ),
    )


def _forest_finding(shown: Sequence[PairDifference], open_pairs: int, *, corrected: bool) -> str:
    how = " (Holm-corrected)" if corrected else ""
    noun = "pair" if len(shown) == 1 else "pairs"
    return f"{open_pairs} of {len(shown)} {noun} cannot be told apart{how}."


def pair_note(difference: PairDifference) -> str:
    """Return what else there is to know of a pair."""
    notes = []
    if difference.not_ranked:
        notes.append(f"not ranked: {unranked(difference)}")
    if difference.confounded_by:
        notes.append(f"* confounded by {', '.join(difference.confounded_by)}")
    if reason_of(difference):
        notes.append(EXPLAINED[reason_of(difference)])
    if difference.settling:
        notes.append(f"{difference.settling} would settle this")
    return "; ".join(notes)


def stability_bars(analysis: Analysis, cells: Sequence[StabilityCell]) -> ShareBars:
    """Return the shares of samples always right, mixed and always wrong over the repeats."""
    places = order(analysis)
    mixed = [c for c in cells if c.mixed.value is not None]
    finding = "Not measured."
    if mixed:
        most = max(mixed, key=lambda c: c.mixed.value or 0.0)
        finding = (
            f"{most.candidate} changes its verdict most: {percent(most.mixed)} of samples."
            if most.mixed.value
            else "No candidate changes its verdict on any sample."
        )
    return ShareBars(
        title="Share of samples by verdict over the repeats",
        finding=finding,
        parts=("always right", "mixed", "always wrong"),
        bars=tuple(
            Bar(
                name=c.candidate,
                index=places[c.candidate],
                shares=(c.always_right, c.mixed, c.always_wrong),
                note=f"consistent {percent(c.agreement)}",
            )
            for c in cells
        ),
    )


def absent_bars(analysis: Analysis, cells: Sequence[FieldCell]) -> ShareBars | None:
    """Return what became of fields that the document does not hold; None if there are none."""
    known = [c for c in cells if c.field is None and c.invented.value is not None]
    if not known:
        return None
    places = order(analysis)
    most = max(known, key=lambda c: c.invented.value or 0.0)
    return ShareBars(
        title="Fields that are not in the document",
        finding=f"{most.candidate} invents most: {percent(most.invented)} of absent fields."
        if most.invented.value
        else "No candidate invents an absent field.",
        parts=('marked "not found"', "omitted", "invented"),
        bars=tuple(
            Bar(
                name=c.candidate,
                index=places[c.candidate],
                shares=(c.marked_not_found, c.omitted, c.invented),
                note=f"invented {percent(c.invented)}",
            )
            for c in known
        ),
    )


def strips(
    analysis: Analysis,
    cells: Sequence[EngineeringCell],
    *,
    title: str,
    quantiles: Mapping[str, str],
    unit: Unit,
) -> Strips | None:
    """Return a quantile strip of some columns of the engineering cells; None if all are unknown.

    Args:
        analysis: for the fixed order.
        cells: one per candidate.
        title: what is shown.
        quantiles: name as shown -> attribute of the cell.
        unit: of all of them.
    """
    places = order(analysis)
    made = tuple(
        Strip(
            name=cell.candidate,
            index=places[cell.candidate],
            quantiles=tuple(getattr(cell, attribute) for attribute in quantiles.values()),
        )
        for cell in cells
    )
    known = [s for s in made if s.quantiles[0].value is not None]
    if not known:
        return None
    least = min(known, key=lambda s: s.quantiles[0].value or 0.0)
    first = next(iter(quantiles))
    return Strips(
        title=title,
        finding=f"{least.name} has the lowest {first}.",
        quantiles=tuple(quantiles),
        strips=made,
        unit=unit,
    )


def per_thousand(estimate: Estimate) -> Estimate:
    """Return a cost per call or task as the cost of a thousand."""

    def times(value: float | None) -> float | None:
        return None if value is None else THOUSAND * value

    return replace(
        estimate,
        value=times(estimate.value),
        low=times(estimate.low),
        high=times(estimate.high),
    )


def cost_scatter(
    analysis: Analysis, row: MatrixRow, cells: Sequence[EngineeringCell]
) -> Scatter | None:
    """Return capability against cost for one row; None where fewer than two have both."""
    places, costs = order(analysis), {cell.candidate: cell.cost_per_task for cell in cells}
    spots = tuple(
        Spot(
            name=cell.candidate,
            index=places[cell.candidate],
            x=per_thousand(costs[cell.candidate]),
            y=cell.estimate,
        )
        for cell in row.cells
        if cell.candidate in costs
    )
    chart = Scatter(
        title=f"{row.title}: {row.metric_title.lower()} against cost",
        finding="",
        spots=spots,
        x_title="USD per 1,000 tasks",
        y_title=row.metric_title,
    )
    if len(chart.known()) < 2:  # noqa: PLR2004 - one spot shows no trade
        return None
    return replace(chart, finding=_cost_finding(chart))


def _cost_finding(chart: Scatter) -> str:
    names = [spot.name for spot in chart.efficient()]
    known = [spot.x.value or 0.0 for spot in chart.known()]
    ratio = max(known) / min(known)
    apart = f"The dearest costs {significant(ratio)} times the cheapest. " if ratio > 1 else ""
    tie = tie_of_all([spot.y for spot in chart.known()])
    if tie is not None:
        return f"{apart}All have the same value, {percent(tie)}: {names[0]} is cheapest."
    if len(names) == 1:
        return f"{apart}{names[0]} is cheapest and has the highest value."
    return f"{apart}Efficient by value, from the cheapest: {', '.join(names)}."
