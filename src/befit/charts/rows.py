"""The skeleton of all charts with one row a candidate or pair: names, axis, plot, numbers.

Wide: name on the left, plot in the middle, numbers on the right. Narrow: name
and numbers stand on a line above the plot, which then has the whole width.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from befit.charts.marks import mark
from befit.charts.scale import Scale
from befit.charts.svg import Layout, document, line, words
from befit.charts.text import fit, width

GAP = 10.0
BETWEEN = " − "
EDGE = 8.0
BESIDE = 9.0
"""How far a reference goes above and below a row in the narrow layout."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One row: its name, its numbers in words, and the candidate whose mark it bears."""

    name: str
    numbers: str
    index: int | None = None
    second: str = ""
    """The other candidate, where the row is of a pair: `name` minus `second`."""

    @property
    def lead(self) -> float:
        """Room that the mark takes before the name."""
        return 0.0 if self.index is None else 18.0

    @property
    def whole(self) -> str:
        """The whole name."""
        return f"{self.name}{BETWEEN}{self.second}" if self.second else self.name

    def fitted(self, room: float, font: float) -> str:
        """Return the name cut to `room`; of a pair, both names evenly."""
        if not self.second or width(self.whole, font) <= room:
            return fit(self.whole, room=room, size=font)
        half = (room - width(BETWEEN, font)) / 2
        left = fit(self.name, room=half, size=font)
        rest = 2 * half - width(left, font)
        return left + BETWEEN + fit(self.second, room=rest, size=font)


@dataclass(kw_only=True)
class Rows:
    """Places of the rows of one chart in one layout, and its parts drawn so far.

    What is measured over all rows is measured once; only `parts` changes.
    """

    layout: Layout
    rows: Sequence[Row]
    domain: tuple[float, float]
    log: bool = False
    top: float = 4.0
    parts: list[str] = field(default_factory=list)
    most: float = 200.0
    """Widest that the column of names may get in the wide layout."""

    @property
    def wide(self) -> bool:
        """Whether names and numbers stand beside the plot."""
        return self.layout.name == "wide"

    @property
    def pitch(self) -> float:
        """Distance between rows."""
        if self.wide:
            return 27.0
        return 61.0 if self.stacked else 44.0

    @cached_property
    def stacked(self) -> bool:
        """Whether the numbers need a line of their own, since names and they do not fit on one."""
        if self.wide:
            return False
        font, room = self.layout.font, self.layout.width - GAP
        needs = (width(row.whole, font) + row.lead + width(row.numbers, font) for row in self.rows)
        return any(need > room for need in needs)

    @cached_property
    def names(self) -> float:
        """Width of the column of names in the wide layout, from the longest."""
        font = self.layout.font
        longest = max((width(row.whole, font) + row.lead for row in self.rows), default=0.0)
        return min(max(longest, 80.0), self.most)

    @cached_property
    def numbers_width(self) -> float:
        """Width of the column of numbers, from the longest."""
        return max((width(row.numbers, self.layout.font) for row in self.rows), default=0.0)

    @cached_property
    def scale(self) -> Scale:
        """The horizontal scale of the plot."""
        if not self.wide:
            start, end = EDGE, self.layout.width - EDGE
        else:
            start = self.names + GAP
            end = self.layout.width - min(self.numbers_width, 290.0) - GAP - EDGE
        low, high = self.domain
        return Scale(low=low, high=high, start=start, end=end, log=self.log)

    @property
    def bottom(self) -> float:
        """Where the rows end and the axis begins."""
        return self.top + self.pitch * len(self.rows) + 2

    @property
    def height(self) -> float:
        """Height of the whole chart."""
        return self.bottom + self.layout.font + 8

    def y(self, index: int) -> float:
        """Return the middle of the plot of row `index`."""
        inside = self.pitch / 2 if self.wide else self.pitch - 13
        return self.top + self.pitch * index + inside

    def labels(self) -> None:
        """Draw names and numbers of all rows."""
        font = self.layout.font
        for i, row in enumerate(self.rows):
            lead = row.lead
            base = self.y(i) + font * 0.36 if self.wide else self.y(i) - 15
            above = base - 17 if self.stacked else base
            if row.index is not None:
                self.parts.append(mark(row.index, 8, above - font * 0.36, size=5))
            if self.wide:
                room = self.names - lead
                end, anchor = self.scale.end + GAP, None
            else:
                beside = 0.0 if self.stacked else width(row.numbers, font) + GAP
                room = self.layout.width - lead - beside
                end, anchor = self.layout.width, "end"
            name = row.fitted(room, font)
            self.parts.append(words(lead, above, name, class_="name", whole=row.whole))
            self.parts.append(words(end, base, row.numbers, class_="num", anchor=anchor))

    def axis(self, texts: dict[float, str]) -> None:
        """Draw grid lines and tick texts; a text that would touch the one before is left out."""
        scale, free = self.scale, -1e9
        font = self.layout.font
        for value, text in texts.items():
            x = scale(value)
            half = width(text, font) / 2
            self.parts.append(line(x, self.top, x, self.bottom, class_="grid"))
            middle = min(max(x, half), self.layout.width - half)
            if middle - half < free:
                continue
            y = self.bottom + font + 1
            self.parts.append(words(middle, y, text, class_="tick", anchor="middle"))
            free = middle + half + 6

    def reference(self, value: float, text: str) -> None:
        """Draw a dashed line at a value with a label in the space above the rows."""
        x = self.scale(value)
        half = width(text, self.layout.font) / 2
        middle = min(max(x, half), self.layout.width - half)
        if self.wide:
            self.parts.append(line(x, self.top - 2, x, self.bottom, class_="gate"))
        else:  # names and numbers stand above each plot: the line is not to run through them
            ys = (self.y(i) for i in range(len(self.rows)))
            self.parts += [line(x, y - BESIDE, x, y + BESIDE, class_="gate") for y in ys]
        self.parts.append(words(middle, self.top - 6, text, class_="tick", anchor="middle"))

    def done(self, *, title: str, finding: str, kind: str) -> str:
        """Return the whole SVG."""
        return document(
            "".join(self.parts),
            layout=self.layout,
            height=self.height,
            title=title,
            finding=finding,
            kind=kind,
        )
