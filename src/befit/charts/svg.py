"""A small writer of SVG: deterministic text, two decimals, classes and attributes only.

No `style=` is ever written, since the report's policy for content allows none.
"""

from __future__ import annotations

from dataclasses import dataclass

from befit.charts.text import escape

Number = float


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """One of the two sizes in which each chart is drawn, in units of its view box."""

    name: str
    width: float
    font: float
    """Font size; at the smallest place where the layout is used it is still 11 CSS pixels."""


WIDE = Layout(name="wide", width=720, font=14)
NARROW = Layout(name="narrow", width=340, font=13)
LAYOUTS = (WIDE, NARROW)


def num(value: float) -> str:
    """Return a number with at most two decimals and no trailing zeros."""
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text in {"-0", ""} else text


def tag(name: str, body: str = "", **attributes: float | str | None) -> str:
    """Return one element. `class_` becomes `class`, `_` in names becomes `-`; None is left out.

    Args:
        name: the element's name.
        body: markup inside; the caller has escaped it.
        attributes: numbers are rounded, strings escaped.
    """
    parts = [name]
    for key, value in attributes.items():
        if value is None:
            continue
        shown = escape(value) if isinstance(value, str) else num(value)
        parts.append(f'{key.rstrip("_").replace("_", "-")}="{shown}"')
    opened = " ".join(parts)
    return f"<{opened}>{body}</{name}>" if body else f"<{opened}/>"


def tip(text: str) -> str:
    """Return the title of one mark: what it says, in words."""
    return f"<title>{escape(text)}</title>"


def line(x1: Number, y1: Number, x2: Number, y2: Number, *, class_: str) -> str:
    """Return a line."""
    return tag("line", class_=class_, x1=x1, y1=y1, x2=x2, y2=y2)


def words(
    x: Number,
    y: Number,
    text: str,
    *,
    class_: str | None = None,
    anchor: str | None = None,
    whole: str | None = None,
) -> str:
    """Return a text element; its title holds the `whole` text where that was cut to fit."""
    said = tip(whole) if whole is not None and whole != text else ""
    return tag("text", said + escape(text), class_=class_, x=x, y=y, text_anchor=anchor)


def document(
    body: str, *, layout: Layout, height: float, title: str, finding: str, kind: str
) -> str:
    """Return the whole SVG, with its title and the finding in words."""
    return tag(
        "svg",
        f"<title>{escape(title)}</title><desc>{escape(finding)}</desc>{body}",
        class_=f"chart {kind} {layout.name}",
        role="img",
        viewBox=f"0 0 {num(layout.width)} {num(height)}",
    )
