"""Sweeps of one setting of sampling, and runs split by who answered, for the page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from markupsafe import Markup

from befit.analysis.over_time_result import TimeCurve, TimePoint
from befit.analysis.results import Analysis
from befit.analysis.split_result import InstanceCell, Sweep
from befit.charts.curve import Course, Curve, Spot
from befit.charts.figure import figure
from befit.charts.numbers import estimate_text
from befit.core.estimate import Estimate
from befit.core.written import many
from befit.report.dose_view import wide
from befit.report.html_charts import per_thousand
from befit.report.numbers import p_told, percent, points, tie_of_all

MOST_PICTURES = 6


def sweep_pictures(sweep: Sweep) -> tuple[Markup, ...]:
    """Return the pictures of a sweep side by side: quality and consistency, then cost."""
    cost = _cost_chart(sweep)
    return tuple(figure(chart) for chart in (_quality_chart(sweep), cost) if chart is not None)


def title_of(sweep: Sweep) -> str:
    """Return what is varied, in words."""
    return sweep.setting.replace("_", " ")


def _axis(sweep: Sweep) -> dict[str, Any]:
    """Return what the x axes of a sweep share: the setting, its names, what production runs."""
    named = not all(point.shown.replace(".", "", 1).isdigit() for point in sweep.points)
    at = next((place for place, p in enumerate(sweep.points, start=1) if p.in_production), None)
    marked = None if at is None else (at if named else sweep.points[at - 1].value, "in production")
    return {
        "x_title": title_of(sweep),
        "x_names": tuple(point.shown for point in sweep.points) if named else (),
        "x_log": not named and wide(point.value for point in sweep.points),
        "upright": marked,
    }


def _spots(sweep: Sweep, values: Sequence[Estimate | None]) -> tuple[Spot, ...]:
    named = bool(_axis(sweep)["x_names"])
    return tuple(
        Spot(
            x=float(place) if named else point.value,
            y=value,
            note="in production" if point.in_production else "",
            hollow=False,
        )
        for place, (point, value) in enumerate(zip(sweep.points, values, strict=True), start=1)
        if value is not None and value.value is not None
    )


def _quality_chart(sweep: Sweep) -> Curve:
    """Return quality and, where repeats allow, consistency along the setting."""
    lines = {
        "pass rate": _spots(sweep, [point.passed for point in sweep.points]),
        "consistency": _spots(sweep, [point.agreement for point in sweep.points]),
    }
    return Curve(
        title=f"{sweep.scenario}: pass rate and consistency by {title_of(sweep)}",
        finding=sweep_says(sweep),
        courses=tuple(
            Course(name=name, index=index, spots=spots)
            for index, (name, spots) in enumerate(lines.items())
            if spots
        ),
        y_title="Share",
        y_unit="percent",
        dodge=True,
        **_axis(sweep),
    )


def _cost_chart(sweep: Sweep) -> Curve | None:
    """Return the cost of tasks along the setting; None where it is not known twice."""
    costs = [None if p.cost is None else per_thousand(p.cost) for p in sweep.points]
    known = _spots(sweep, costs)
    if len(known) < 2:  # noqa: PLR2004 - one point is no curve
        return None
    return Curve(
        title=f"{sweep.scenario}: cost of 1,000 tasks by {title_of(sweep)}",
        finding=f"{sweep.scenario}: 1,000 tasks cost {estimate_text(known[0].y, 'usd')} at the"
        f" first setting measured and {estimate_text(known[-1].y, 'usd')} at the last.",
        courses=(Course(name="cost", index=0, spots=known),),
        y_title="Cost of 1,000 tasks",
        y_unit="usd",
        **_axis(sweep),
    )


def sweep_says(sweep: Sweep) -> str:
    """Return which setting is best, which are below its interval, and where production stands."""
    known = [p for p in sweep.points if p.passed.value is not None]
    if not known:
        return f"{sweep.scenario}: nothing is measured along {title_of(sweep)}."
    tie = tie_of_all([p.passed for p in known])
    if tie is not None:
        return f"{sweep.scenario}: the same at every {title_of(sweep)}, {percent(tie)}."
    best = max(known, key=lambda p: p.passed.value or 0.0)
    low = best.passed.low
    below = [p for p in known if low is not None and (p.passed.high or 0.0) < low]
    told = f"{sweep.scenario}: best at {title_of(sweep)} {best.shown}, {percent(best.passed)}"
    told += f"; {', '.join(p.shown for p in below)} clearly below" if below else ""
    told += "" if below else "; no other setting is told from it by its interval"
    here = next((p for p in known if p.in_production), None)
    if here is None:
        return f"{told}."
    if here is best:
        return f"{told}. Production runs the best one."
    return f"{told}. Production runs {here.shown}: {percent(here.passed)}."


def instances(analysis: Analysis) -> tuple[InstanceCell, ...]:
    """Return the runs split by who answered, those whose instances differ first."""
    return tuple(sorted(analysis.instances, key=lambda cell: not cell.differ))


def instances_say(analysis: Analysis) -> tuple[str, ...]:
    """Return whose instances differ, and in one sentence that the others do not."""
    told = [instance_says(cell) for cell in analysis.instances if cell.differ]
    rest = len(analysis.instances) - len(told)
    if told and rest:
        told.append(
            f"The other {many(rest, 'split')} are no more than chance. Of all that are looked at,"
            " 1 in 20 differs by chance alone."
        )
    elif rest:
        told.append(f"No instance differs by more than chance ({many(rest, 'split')}).")
    return tuple(told)


def instance_says(cell: InstanceCell) -> str:
    """Return whether the instances behind one name answer alike."""
    who = f"{cell.candidate} on {cell.scenario} was answered by {len(cell.instances)} instances"
    who = f"{who}, told by {cell.kind}"
    if cell.p_value is None or cell.spread is None:
        return f"{who}; no sample was answered by two of them, so nothing tells them apart."
    gap = f"on the same samples they lie {100 * cell.spread:.0f} points apart"
    sure = "more than chance" if cell.differ else "no more than chance"
    return f"{who}; {gap}, {sure} ({p_told(cell.p_value)})."


def times(analysis: Analysis) -> tuple[TimeCurve, ...]:
    """Return the curves over runs: those that moved first, then those somebody else answers."""
    return tuple(sorted(analysis.over_time, key=lambda curve: (not curve.moved, is_same(curve))))


def is_same(curve: TimeCurve) -> bool:
    """Tell whether nothing is known to have changed: neither the results nor who answers."""
    return not curve.moved and not _served_changed(curve.points[0], curve.points[-1])


def _served_changed(before: TimePoint, after: TimePoint) -> bool:
    return bool(before.served and after.served and set(before.served) != set(after.served))


def time_says(curve: TimeCurve) -> str:
    """Return whether the newest run differs from the oldest, and whether somebody else answered."""
    last, first = curve.points[-1], curve.points[0]
    gap = last.since_first
    told = f"{curve.candidate} on {curve.scenario}, {len(curve.points)} runs"
    if gap.value is None or gap.low is None or gap.high is None:
        return f"{told}: no sample was measured in the first and the last of them."
    if not curve.moved:
        told = f"{told}: the last cannot be told from the first ({points(gap)} points"
        told += ", too little for one curve of several)" if curve.alone_moved else ")"
    else:
        word = "worse" if gap.value < 0 else "better"
        told = f"{told}: the last is {word} than the first, {points(gap)} points"
    if _served_changed(first, last):
        return f"{told}; the served model has changed from {_names(first)} to {_names(last)}."
    return f"{told}."


def _now(curve: TimeCurve, place: int) -> str:
    """Return who answers from a run on, where that has changed; else ""."""
    point = curve.points[place]
    before = next((one for one in reversed(curve.points[:place]) if one.served), None)
    if before is None or not _served_changed(before, point):
        return ""
    return f"now {_names(point)}"


def _names(point: TimePoint) -> str:
    return ", ".join(point.served)


def _called(point: TimePoint) -> str:
    return point.label or point.run_id


def time_picture(analysis: Analysis, curve: TimeCurve) -> Markup:
    """Return the pass rate over the runs, in the order of their time."""
    changes = {place: now for place in range(len(curve.points)) if (now := _now(curve, place))}
    spots = tuple(
        Spot(
            x=float(place + 1),
            y=point.passed,
            note=": ".join(filter(None, (_called(point), changes.get(place, "")))),
            hollow=place in changes,
        )
        for place, point in enumerate(curve.points)
    )
    first = next(iter(changes.items()), None)
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
        x_names=tuple(map(_called, curve.points)),
        y_title="Pass rate",
        y_unit="percent",
        upright=None if first is None else (float(first[0] + 1), first[1]),
    )
    return figure(chart)


def shows(analysis: Analysis) -> bool:
    """Tell whether there is anything to show."""
    return bool(analysis.sweeps or analysis.instances)
