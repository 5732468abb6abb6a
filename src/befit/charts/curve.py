"""Curves: one or more measured lines over a common axis, each point with its interval.

For throughput against load, and for a measurement over time. A line is told by
its mark, its colour and the name at its end; a point with nothing measured
leaves a gap, never a zero.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from befit.charts.figure import Table
from befit.charts.marks import colour_class, mark
from befit.charts.numbers import Unit, count_text, estimate_text, tick
from befit.charts.scale import Scale, log_domain, span_domain
from befit.charts.svg import Layout, document, line, num, tag, words
from befit.charts.text import fit, width
from befit.core.estimate import Estimate

LOG_FROM = 20.0
CLOSE = 26
"""From so many points on a line is its course, with a mark at some of them only."""
MARKED = 8
"""So many marks stand on such a line, each with its interval."""
LABEL_PITCH = 16.0
DODGE = 7.0
"""Between the marks of two lines at the same place; less where places are close."""
SAME = 3.0
"""Lines whose points lie within this of each other run over each other."""
EDGE = 6.0
"""Between the edge of the picture and the mark of its first place."""
MOST_NAMED = 4
"""Named places whose names stand side by side whole; of more, some are left out."""
LEAD = 20.0
"""Room that a line's mark takes before its name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spot:
    """One point of a curve."""

    x: float
    y: Estimate
    note: str = ""
    """What to know of it, for instance why it must not be used."""
    hollow: bool | None = None
    """Whether its mark is hollow; as it is given, where it has a note."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Course:
    """One line."""

    name: str
    index: int
    spots: tuple[Spot, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Curve:
    """The chart."""

    title: str
    finding: str
    courses: tuple[Course, ...]
    x_title: str
    y_title: str
    x_unit: Unit = "number"
    y_unit: Unit = "seconds"
    x_log: bool = False
    reference: tuple[float, str] | None = None
    """A height with a name: a promise."""
    band: tuple[float, float] | None = None
    """Part of the x axis that the figures stand on; the rest is shaded by dashed edges."""
    upright: tuple[float, str] | None = None
    """A place on the x axis with a name: the knee."""
    dodge: bool = False
    """Lines stand a little beside each other, so that equal values hide none of them."""
    x_names: tuple[str, ...] = ()
    """What the places 1, 2, ... on the x axis are called, where they are no numbers."""

    def svg(self, layout: Layout) -> str:
        """Return the picture in one layout."""
        return _Drawing(self, layout).svg()

    def x_text(self, spot: Spot) -> str:
        """Return where a point stands, in words."""
        if self.x_names:
            return self.x_names[int(spot.x) - 1]
        return tick(round(spot.x, 3), self.x_unit)

    def table(self) -> Table:
        """Return the numbers that are drawn."""
        return Table(
            head=(self.x_title, "Line", self.y_title, "n", "Note"),
            rows=tuple(
                (
                    self.x_text(spot),
                    course.name,
                    estimate_text(spot.y, self.y_unit),
                    count_text(spot.y),
                    spot.note,
                )
                for course in self.courses
                for spot in course.spots
            ),
        )


class _Drawing:
    """One curve in one layout."""

    def __init__(self, chart: Curve, layout: Layout) -> None:
        self._chart, self._layout = chart, layout
        wide = layout.name == "wide"
        names = max((width(c.name, layout.font) for c in chart.courses), default=40.0)
        self._label_room = min(names + LEAD + 4, 190.0 if wide else 106.0)
        self._height = 280.0 if wide else 250.0
        self._top, self._bottom = 30.0, self._height - 46
        spots = [spot for course in chart.courses for spot in course.spots]
        xs = [spot.x for spot in spots]
        ys = [end for spot in spots for end in (spot.y.value, spot.y.low, spot.y.high)]
        if chart.reference is not None:
            ys.append(chart.reference[0])
        values = [spot.y.value for spot in spots if spot.y.value is not None]
        # A logarithmic axis has no place for 0, and a wide interval alone is no reason for one.
        self._log = bool(values) and max(values) > LOG_FROM * min(values) > 0
        low, high = log_domain(ys) if self._log else span_domain(ys, zero=True)
        self._y = Scale(low=low, high=high, start=self._bottom - 4, end=self._top, log=self._log)
        ticks = (width(tick(value, chart.y_unit), layout.font) for value in self._y.ticks(5))
        self._left = max(58.0 if wide else 52.0, max(ticks, default=0.0) + 10)
        self._right = layout.width - self._label_room - 12
        x_low, x_high = log_domain(xs) if chart.x_log else span_domain(xs, zero=not chart.x_names)
        # Marks at the first place stand inside, not on what the y axis says.
        air = EDGE + (DODGE * (len(chart.courses) - 1) / 2 if chart.dodge else 0.0)
        start, end = self._left + air, self._right - air
        self._x = Scale(low=x_low, high=x_high, start=start, end=end, log=chart.x_log)

    def svg(self) -> str:
        """Return the whole picture."""
        chart = self._chart
        lines = "".join(self._course(place) for place in range(len(chart.courses)))
        return document(
            self._axes() + self._guides() + lines + self._names(),
            layout=self._layout,
            height=self._height,
            title=chart.title,
            finding=chart.finding,
            kind="curve",
        )

    def _axes(self) -> str:
        font, chart = self._layout.font, self._chart
        parts = [words(0, font, chart.y_title, class_="tick")]
        for value in self._y.ticks(5):
            y = self._y(value)
            parts.append(line(self._left, y, self._right, y, class_="grid"))
            text = tick(value, chart.y_unit)
            parts.append(words(self._left - 6, y + font * 0.36, text, class_="tick", anchor="end"))
        free = -1e9
        for value, text in self._x_ticks():
            x = self._x(value)
            half = width(text, font) / 2
            parts.append(line(x, self._top, x, self._bottom, class_="grid"))
            if x - half < free:
                continue
            parts.append(words(x, self._bottom + font + 4, text, class_="tick", anchor="middle"))
            free = x + half + 6
        whole = f"{chart.x_title} →"
        title = fit(whole, room=self._layout.width, size=font)
        end = max(self._right, width(title, font))
        foot = words(end, self._height - 6, title, class_="tick", anchor="end", whole=whole)
        return "".join(parts) + foot

    def _x_ticks(self) -> list[tuple[float, str]]:
        """Return the places on the x axis that are written, with their words."""
        chart, font = self._chart, self._layout.font
        if not chart.x_names:
            return [(value, tick(value, chart.x_unit)) for value in self._x.ticks(6)]
        room = (self._right - self._left) / min(len(chart.x_names), MOST_NAMED) - 8
        return [
            (float(place), fit(name, room=room, size=font))
            for place, name in enumerate(chart.x_names, start=1)
        ]

    def _guides(self) -> str:
        font, chart, parts = self._layout.font, self._chart, []
        if chart.reference is not None:
            y = self._y(chart.reference[0])
            parts.append(line(self._left, y, self._right, y, class_="gate"))
            parts.append(words(self._left + 4, y - 5, chart.reference[1], class_="tick"))
        for x in chart.band or ():
            at = self._x(x)
            if self._left + 1 < at < self._right - 1:
                parts.append(line(at, self._top, at, self._bottom, class_="gate"))
        if chart.upright is not None:
            at = self._x(chart.upright[0])
            parts.append(line(at, self._top, at, self._bottom, class_="gate"))
            half = width(chart.upright[1], font) / 2
            middle = min(max(at, self._left + half), self._right - half)
            parts.append(
                words(middle, self._top - 4, chart.upright[1], class_="tick", anchor="middle")
            )
        return "".join(parts)

    def _beside(self, place: int) -> float:
        """Return how far a line stands beside the true places of its points."""
        courses = self._chart.courses
        if not self._chart.dodge or len(courses) == 1:
            return 0.0
        xs = sorted({self._x(spot.x) for course in courses for spot in course.spots})
        nearest = min((b - a for a, b in pairwise(xs)), default=DODGE * len(courses))
        pitch = min(DODGE, 0.6 * nearest / len(courses))
        return (place - (len(courses) - 1) / 2) * pitch

    def _is_over(self, place: int) -> bool:
        """Tell whether a line runs over an earlier one nearly all the way: it is then dashed."""
        own = dict(self._heights(place))
        for before in range(place):
            other = dict(self._heights(before))
            shared = own.keys() & other.keys()
            near = sum(abs(own[x] - other[x]) < SAME for x in shared)
            if len(shared) > 1 and near > len(shared) / 2:
                return True
        return False

    def _heights(self, place: int) -> list[tuple[float, float]]:
        spots = self._chart.courses[place].spots
        return [(spot.x, self._y(spot.y.value)) for spot in spots if spot.y.value is not None]

    def _course(self, place: int) -> str:
        course, beside = self._chart.courses[place], self._beside(place)
        face = colour_class(course.index)
        known = [(self._x(s.x) + beside, s) for s in course.spots if s.y.value is not None]
        over = f"{face} over" if self._is_over(place) else face
        parts = [_path(points, over) for points in self._unbroken(course, beside)]
        close = len(course.spots) >= CLOSE
        every = -(-len(known) // MARKED) if close else 1
        for at, (x, spot) in enumerate(known):
            # Lines of many points bear their marks at different places, so that none hides another.
            if close and (at + place) % every:
                continue
            y = self._y(spot.y.value or 0.0)
            bounded = spot.y.low is not None and spot.y.high is not None
            if close and not bounded:
                continue
            if spot.y.low is not None and spot.y.high is not None:
                low, high = self._y(spot.y.low), self._y(spot.y.high)
                parts.append(line(x, low, x, high, class_=f"ci thin {face}"))
            said = (
                f"{course.name} at {self._chart.x_text(spot)}: "
                f"{estimate_text(spot.y, self._chart.y_unit)}"
            )
            said += f" ({spot.note})" if spot.note else ""
            hollow = bool(spot.note) if spot.hollow is None else spot.hollow
            parts.append(mark(course.index, x, y, size=4.5, title=said, hollow=hollow))
        return "".join(parts)

    def _unbroken(self, course: Course, beside: float) -> list[list[tuple[float, float]]]:
        """Return the stretches between gaps."""
        found: list[list[tuple[float, float]]] = [[]]
        for spot in course.spots:
            if spot.y.value is None:
                found.append([])
            else:
                found[-1].append((self._x(spot.x) + beside, self._y(spot.y.value)))
        return [points for points in found if len(points) > 1]

    def _names(self) -> str:
        """Write each line's name at its end, pushed apart where they would touch."""
        font, ends = self._layout.font, []
        for course in self._chart.courses:
            known = [s for s in course.spots if s.y.value is not None]
            if known:
                ends.append((self._y(known[-1].y.value or 0.0), course))
        ends.sort(key=lambda pair: pair[0])
        parts = []
        for (end, course), y in zip(ends, self._apart([end for end, _ in ends]), strict=True):
            if abs(y - end) > LABEL_PITCH / 2:
                parts.append(line(self._right, end, self._right + 6, y, class_="leader"))
            parts.append(mark(course.index, self._right + 10, y, size=4))
            text = fit(course.name, room=self._label_room - LEAD, size=font)
            parts.append(
                words(self._right + 18, y + font * 0.36, text, class_="name", whole=course.name)
            )
        return "".join(parts)

    def _apart(self, ends: list[float]) -> list[float]:
        """Return heights in the same order that lie a line apart and within the picture."""
        placed: list[float] = []
        for end in ends:
            placed.append(max(end, placed[-1] + LABEL_PITCH if placed else self._top))
        ceiling = self._bottom
        for place in reversed(range(len(placed))):
            placed[place] = min(placed[place], ceiling)
            ceiling = placed[place] - LABEL_PITCH
        return placed


def _path(points: list[tuple[float, float]], face: str) -> str:
    d = "M" + "L".join(f"{num(x)} {num(y)}" for x, y in points)
    return tag("path", class_=f"course {face}", d=d)
