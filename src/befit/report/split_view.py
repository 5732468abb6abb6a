"""Sweeps of one setting of sampling, and runs split by who answered, for the page."""

from __future__ import annotations

from markupsafe import Markup

from befit.analysis.over_time_result import TimeCurve, TimePoint
from befit.analysis.results import Analysis
from befit.analysis.split_result import InstanceCell, Sweep
from befit.charts.curve import Course, Curve, Spot
from befit.charts.figure import figure
from befit.charts.numbers import estimate_text

MOST_PICTURES = 6


def sweep_picture(sweep: Sweep) -> Markup:
    """Return quality and, where repeats allow, consistency along the setting."""
    marked = {point.value: "in production" for point in sweep.points if point.in_production}
    courses = [
        Course(
            name="pass rate",
            index=0,
            spots=tuple(
                Spot(x=p.value, y=p.passed, note=marked.get(p.value, "")) for p in sweep.points
            ),
        )
    ]
    steady = [(p.value, p.agreement) for p in sweep.points if p.agreement is not None]
    if any(estimate.value is not None for _, estimate in steady):
        spots = tuple(Spot(x=value, y=estimate) for value, estimate in steady)
        courses.append(Course(name="consistency", index=1, spots=spots))
    at = next(iter(marked), None)
    chart = Curve(
        title=f"{sweep.scenario}: results by {sweep.setting}",
        finding=sweep_says(sweep),
        courses=tuple(courses),
        x_title=sweep.setting.replace("_", " "),
        y_title="Share",
        y_unit="percent",
        upright=None if at is None else (at, "production"),
        dodge=True,
    )
    return figure(chart)


def cost_picture(sweep: Sweep) -> Markup | None:
    """Return the cost of a task along the setting; None where it is not known twice."""
    known = [
        Spot(x=p.value, y=p.cost, note="in production" if p.in_production else "")
        for p in sweep.points
        if p.cost is not None and p.cost.value is not None
    ]
    if len(known) < 2:  # noqa: PLR2004 - one point is no curve
        return None
    low, high = known[0].y, known[-1].y
    chart = Curve(
        title=f"{sweep.scenario}: cost of a task by {sweep.setting}",
        finding=f"{sweep.scenario}: a task costs {estimate_text(low, 'usd')} at {sweep.setting}"
        f" {known[0].x:g} and {estimate_text(high, 'usd')} at {known[-1].x:g}.",
        courses=(Course(name="cost of a task", index=0, spots=tuple(known)),),
        x_title=sweep.setting.replace("_", " "),
        y_title="Cost of a task",
        y_unit="usd",
    )
    return figure(chart)


def sweep_says(sweep: Sweep) -> str:
    """Return which setting is best, and whether the others are below its interval."""
    known = [p for p in sweep.points if p.passed.value is not None]
    if not known:
        return f"{sweep.scenario}: nothing is measured along {sweep.setting}."
    best = max(known, key=lambda p: p.passed.value or 0.0)
    low = best.passed.low
    below = [p for p in known if low is not None and (p.passed.high or 0.0) < low]
    told = f"{sweep.scenario}: best at {sweep.setting} {best.shown}"
    if not below:
        return f"{told}; no other setting is told from it by its interval."
    return f"{told}; {', '.join(p.shown for p in below)} clearly below."


def instance_says(cell: InstanceCell) -> str:
    """Return whether the instances behind one name answer alike."""
    who = f"{cell.candidate} on {cell.scenario} was answered by {len(cell.instances)} instances"
    who = f"{who}, told by {cell.kind}"
    if cell.p_value is None or cell.spread is None:
        return f"{who}; no sample was answered by two of them, so nothing tells them apart."
    gap = f"on the same samples they lie {100 * cell.spread:.0f} points apart"
    sure = "more than chance" if cell.differ else "no more than chance"
    return f"{who}; {gap}, {sure} (p = {cell.p_value:.3f})."


def time_says(curve: TimeCurve) -> str:
    """Return whether the newest run differs from the oldest, and whether somebody else answered."""
    last, first = curve.points[-1], curve.points[0]
    gap = last.since_first
    told = f"{curve.candidate} on {curve.scenario}, {len(curve.points)} runs"
    if gap.value is None or gap.low is None or gap.high is None:
        return f"{told}: no sample was measured in the first and the last of them."
    if gap.low <= 0 <= gap.high:
        told = f"{told}: the last cannot be told from the first"
    else:
        word = "worse" if gap.value < 0 else "better"
        told = f"{told}: the last is {abs(100 * gap.value):.0f} points {word} than the first"
    if set(last.served) != set(first.served) and last.served and first.served:
        return f"{told}; the served model has changed from {_names(first)} to {_names(last)}."
    return f"{told}."


def _note(curve: TimeCurve, place: int) -> str:
    """Return a run's label, and who answers from then on where that has changed."""
    point = curve.points[place]
    told = point.label or point.run_id
    before = next((one for one in reversed(curve.points[:place]) if one.served), None)
    if before is None or not point.served or set(before.served) == set(point.served):
        return told
    return f"{told}: now {_names(point)}"


def _names(point: TimePoint) -> str:
    return ", ".join(point.served)


def time_picture(analysis: Analysis, curve: TimeCurve) -> Markup:
    """Return the pass rate over the runs, in the order of their time."""
    spots = tuple(
        Spot(x=float(place), y=point.passed, note=_note(curve, place - 1))
        for place, point in enumerate(curve.points, start=1)
    )
    chart = Curve(
        title=f"{curve.candidate} on {curve.scenario} over runs",
        finding=time_says(curve),
        courses=(
            Course(
                name=curve.candidate,
                index=analysis.candidates.index(curve.candidate),
                spots=spots,
            ),
        ),
        x_title="Run, the oldest first",
        y_title="Pass rate",
        y_unit="percent",
    )
    return figure(chart)


def shows(analysis: Analysis) -> bool:
    """Tell whether there is anything to show."""
    return bool(analysis.sweeps or analysis.instances)
