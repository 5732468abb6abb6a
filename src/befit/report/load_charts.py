"""A load measurement in sentences and pictures, for its own page and for the report's section."""

from __future__ import annotations

from dataclasses import dataclass

from markupsafe import Markup

from befit.analysis.fallback_edge import Edge
from befit.analysis.fallback_figures import FaultFigures
from befit.analysis.load import LoadLevel, Quantiles
from befit.analysis.load_result import LoadResult, by_axis, load_of
from befit.analysis.load_timeline import Timeline
from befit.charts.curve import Course, Curve, Spot
from befit.charts.figure import figure
from befit.charts.numbers import Unit, estimate_text
from befit.charts.strips import Strip, Strips
from befit.core.estimate import Estimate
from befit.core.written import in_percent

QUANTILES = ("p50", "p95", "p99")
STRIPS: tuple[tuple[str, str, Unit], ...] = (
    ("latency", "Latency from the scheduled time", "seconds"),
    ("first_token", "Time to first token, from the scheduled time", "seconds"),
    ("per_token", "Time per output token", "seconds"),
    ("output_tokens", "Output tokens", "tokens"),
)
MOST_STRIPS = 8
LOG_FROM = 8
"""Loads that span more than this factor stand on a logarithmic axis."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadView:
    """One measurement as the templates show it."""

    result: LoadResult
    says: tuple[str, ...]
    curves: tuple[Markup, ...]
    strips: tuple[Markup, ...]
    timelines: tuple[Markup, ...]


def load_view(result: LoadResult) -> LoadView:
    """Return a measurement in sentences and pictures."""
    return LoadView(
        result=result,
        says=says(result),
        curves=tuple(map(figure, curves(result))),
        strips=tuple(map(figure, strips(result))),
        timelines=tuple(map(figure, timelines(result))),
    )


def unit_of(result: LoadResult, load: float | None = None) -> str:
    """Return the words for the loads of a result, or for one of them."""
    closed = any(level.shape.kind == "closed" for level in result.levels)
    return f"{'call' if load == 1 else 'calls'} {'in flight' if closed else 'per second'}"


def says(result: LoadResult) -> tuple[str, ...]:
    """Return what the measurement says in sentences, warnings first."""
    said = [f"Not to be used: {why}." for why in result.invalid]
    if not result.levels:
        return (*said, "No level was measured.")
    promised, share = result.promise.promised, f"{in_percent(result.promise.share)} %"
    if result.tried or result.ended_by:
        if result.bearable is None:
            what = "keep the service level" if promised else f"have {share} of its calls answered"
            said.append(
                f"No load that was tried is known to {what}; "
                f"the search ended because {result.ended_by}."
            )
        else:
            what = "The service level is kept" if promised else f"{share} of the calls are answered"
            said.append(
                f"{what} up to {result.bearable:.3g} {unit_of(result, result.bearable)}; "
                f"the search ended because {result.ended_by}."
            )
    elif promised:
        for level in result.levels:
            kept = estimate_text(level.attainment, "percent")
            said.append(f"{level.shape.name}: {kept} of the calls kept the service level.")
    said += [
        f"From about {bend.load:.2g} {unit_of(part)} on, more load brings hardly more answers "
        "(the knee)."
        for part in by_axis(result)
        if (bend := part.knee) is not None
    ]
    for level, line in zip(result.levels, result.timelines, strict=True):
        if line is not None and line.growing and level.shape.kind != "ramp":
            said.append(f"{level.shape.name}: the queue grew to the end; it bears no such load.")
    return (*said, *result.notes)


def curves(result: LoadResult) -> list[Curve]:
    """Return answers per second, latency and quality over load; none for a single level.

    Calls per second and calls in flight have curves of their own.
    """
    return [curve for part in by_axis(result) for curve in _curves(part)]


def _curves(result: LoadResult) -> list[Curve]:
    points = sorted(
        ((load, level) for level in result.levels if (load := load_of(level))),
        key=lambda pair: pair[0],
    )
    if len({load for load, _ in points}) < 2:  # noqa: PLR2004 - one point is no curve
        return []
    found = [
        _curve(
            result,
            title="Answers per second at each load",
            y=("per second", "number"),
            courses={
                "answers": [_spot(load, lv, lv.requests_per_second) for load, lv in points],
                "goodput": [_spot(load, lv, lv.goodput) for load, lv in points],
            },
        ),
        _curve(
            result,
            title="Latency at each load, from the scheduled time",
            y=("latency", "seconds"),
            courses={
                q: [_spot(load, lv, getattr(lv.times["latency"], q)) for load, lv in points]
                for q in QUANTILES
            },
        ),
    ]
    scored = [_spot(x, lv, lv.passed) for x, lv in points if lv.passed.value is not None]
    if len(scored) > 1:
        found.append(
            _curve(
                result,
                title="Pass rate at each load",
                y=("passed", "percent"),
                courses={"passed": scored},
            )
        )
    return found


def _curve(
    result: LoadResult, *, title: str, y: tuple[str, Unit], courses: dict[str, list[Spot]]
) -> Curve:
    """Return one chart over load, with the knee and, for times, what was promised."""
    loads = [spot.x for spots in courses.values() for spot in spots]
    bend, promise = result.knee, result.promise.latency
    timed = y[1] == "seconds" and promise is not None
    return Curve(
        title=title,
        finding="",
        courses=tuple(
            Course(name=name, index=i, spots=tuple(spots))
            for i, (name, spots) in enumerate(courses.items())
        ),
        x_title=unit_of(result),
        y_title=y[0],
        y_unit=y[1],
        x_log=max(loads) > LOG_FROM * min(loads),
        reference=(promise, "promised") if timed and promise is not None else None,
        upright=None if bend is None else (bend.load, "knee"),
    )


def _spot(load: float, level: LoadLevel, found: Estimate) -> Spot:
    note = "not to be used" if level.invalid else ""
    return Spot(x=load, y=found, note=note)


def strips(result: LoadResult) -> list[Strips]:
    """Return the quantiles of each time and size, one strip a level."""
    levels = result.levels
    if len(levels) > MOST_STRIPS:
        step = len(levels) / MOST_STRIPS
        ranked = sorted(levels, key=lambda level: load_of(level) or 0.0)
        levels = tuple(ranked[int(i * step)] for i in range(MOST_STRIPS))
    found = []
    for key, title, unit in STRIPS:
        if all(level.times[key].p50.value is None for level in levels):
            continue
        found.append(
            Strips(
                title=title,
                finding="",
                quantiles=QUANTILES,
                unit=unit,
                strips=tuple(
                    Strip(name=level.shape.short, index=i, quantiles=_three(level.times[key]))
                    for i, level in enumerate(levels)
                ),
            )
        )
    return found


def _three(found: Quantiles) -> tuple[Estimate, ...]:
    return (found.p50, found.p95, found.p99)


def timelines(result: LoadResult) -> list[Curve]:
    """Return the longest level over time; of equally long ones that of the highest load."""
    pairs = [
        (level, line)
        for level, line in zip(result.levels, result.timelines, strict=True)
        if line is not None and len(line.stretches) > 2  # noqa: PLR2004 - two make no course
    ]
    if not pairs:
        return []
    level, line = max(pairs, key=lambda pair: (pair[0].shape.duration, load_of(pair[0]) or 0.0))
    return [_timeline(level, line, result.promise.latency)]


def _timeline(level: LoadLevel, line: Timeline, promise: float | None) -> Curve:
    def middle(start: float, end: float) -> float:
        return (start + end) / 2

    return Curve(
        title=f"Latency over time: {level.shape.name}",
        finding="Dashed uprights: what the figures stand on.",
        courses=tuple(
            Course(
                name=q,
                index=i,
                spots=tuple(
                    Spot(x=middle(s.start, s.end), y=getattr(s, q)) for s in line.stretches
                ),
            )
            for i, q in enumerate(("p50", "p95"))
        ),
        x_title="seconds since the start",
        y_title="latency",
        band=line.counted,
        reference=None if promise is None else (promise, "promised"),
    )


def slowest_fault(edge: Edge) -> FaultFigures | None:
    """Return the fault of an edge after which the first token came last; None if none was played.

    Faults after which nobody answers have no such time and are left out.
    """
    timed = [fault for fault in edge.faults if fault.first_token_p95.value is not None]
    return max(timed, key=lambda fault: fault.first_token_p95.value or 0.0, default=None)
