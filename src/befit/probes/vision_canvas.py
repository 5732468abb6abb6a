"""The sheet that pictures are drawn on: ink of a set contrast, text of a set height."""

from __future__ import annotations

import io
from dataclasses import dataclass

from PIL import Image, ImageDraw, ImageFont

from befit.core.record import Json
from befit.probes.pack import Draw

Box = tuple[float, float, float, float]
WIDTH, HEIGHT = 900, 600
_WHITE = 255


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """A picture with a question, its answer, a caption that fits and one that does not."""

    png: bytes
    content: str
    """`text`, `structure` or `cross-region`."""
    question: str
    answer: Json
    caption: str
    wrong_caption: str


def text_width(draw: Draw, text: str) -> float:
    """Return how wide a text will be at the size that is asked for."""
    return float(ImageFont.load_default(draw.whole("size")).getlength(text))


class Canvas:
    """A white sheet; every place is in pixels from the upper left."""

    def __init__(self, draw: Draw, *, width: int = WIDTH, height: int = HEIGHT) -> None:
        self.width, self.height = width, height
        self.size = draw.whole("size")
        shade = round(_WHITE * (1 - float(draw.knobs["contrast"])))
        self.ink = (shade, shade, shade)
        self._image = Image.new("RGB", (width, height), (_WHITE, _WHITE, _WHITE))
        self._pen = ImageDraw.Draw(self._image)
        self._font = ImageFont.load_default(self.size)

    def text(self, x: float, y: float, text: str, *, anchor: str = "lt") -> None:
        """Write `text`; `anchor` as in Pillow (`lt` left top, `mm` the middle)."""
        self._pen.text((x, y), text, fill=self.ink, font=self._font, anchor=anchor)

    def long(self, text: str) -> float:
        """Return how wide a text is."""
        return float(self._pen.textlength(text, font=self._font))

    def line(self, *points: tuple[float, float], width: int = 2) -> None:
        """Draw a line through the points."""
        self._pen.line(list(points), fill=self.ink, width=width)

    def box(self, box: Box, *, fill: tuple[int, int, int] | None = None) -> None:
        """Draw a rectangle."""
        self._pen.rectangle(box, outline=self.ink, width=2, fill=fill)

    def shape(self, kind: str, x: float, y: float, radius: float, colour: str) -> None:
        """Draw a circle, square or triangle in a colour."""
        if kind == "circle":
            self._pen.ellipse((x - radius, y - radius, x + radius, y + radius), fill=colour)
        elif kind == "square":
            self._pen.rectangle((x - radius, y - radius, x + radius, y + radius), fill=colour)
        else:
            corners = [(x, y - radius), (x - radius, y + radius), (x + radius, y + radius)]
            self._pen.polygon(corners, fill=colour)

    def arrow(self, start: tuple[float, float], end: tuple[float, float]) -> None:
        """Draw a line with a head at its end."""
        self.line(start, end)
        dx, dy = end[0] - start[0], end[1] - start[1]
        far = max(1.0, (dx * dx + dy * dy) ** 0.5)
        ux, uy = dx / far, dy / far
        back = (end[0] - 12 * ux, end[1] - 12 * uy)
        self._pen.polygon(
            [end, (back[0] - 6 * uy, back[1] + 6 * ux), (back[0] + 6 * uy, back[1] - 6 * ux)],
            fill=self.ink,
        )

    def png(self) -> bytes:
        """Return the picture."""
        out = io.BytesIO()
        self._image.save(out, "PNG")
        return out.getvalue()
