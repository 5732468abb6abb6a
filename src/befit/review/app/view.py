"""An item as a page shows it: turns side by side, texts made safe, long ones cut alike."""

from __future__ import annotations

from dataclasses import dataclass, replace

from markupsafe import Markup

from befit.review.app.text import markdown, quoted
from befit.review.pages import Answer, FieldRow, GuessPage, Picture, Shown, Turn
from befit.review.settings import Style

CUT = 30_000
"""Characters of one text shown at first; both sides are cut alike, and all of it is a link away."""
ROWS = 120
LETTERS = {"left": "A", "right": "B"}
VERDICT_WORDS = {
    "left": "A is better",
    "right": "B is better",
    "tie": "Tie, both good",
    "both_bad": "Both bad",
    "cannot_judge": "Can't judge",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One answer of one side in one turn."""

    letter: str
    text: Markup
    plain: bool
    """Preformatted text, not markup of its own."""
    missing: bool = False
    cut: int = 0
    """Characters left out."""
    pictures: tuple[Picture, ...] = ()
    """Drawn by the answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One turn: what the user said (once where both sides heard the same), and the answers."""

    number: int
    users: tuple[Cell, ...]
    pictures: tuple[Picture, ...]
    cells: tuple[Cell, ...]
    marked: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """What a template shows of the answers of an item."""

    rows: tuple[Row, ...]
    repeats: tuple[tuple[Cell, ...], ...]
    """Per further run: one cell for each side."""
    fields: tuple[tuple[Markup, Markup | None, Markup | None, bool], ...]
    """Name, left, right, whether they differ."""
    source: Markup
    cut: bool
    """Something was left out, and is a link away."""
    flagged: bool

    @property
    def turns(self) -> int:
        """Turns of the longer side."""
        return len(self.rows)


def view_of(shown: Shown, *, whole: bool = False) -> View:
    """Return the view of an item; `whole` leaves nothing out."""
    return _view(
        (shown.left, shown.right),
        style=shown.style,
        fields=shown.fields,
        source=shown.source,
        whole=whole,
    )


def view_of_guess(page: GuessPage, style: Style) -> View:
    """Return the view of the question "which model is it?"."""
    return _view((page.left, page.right), style=style, fields=(), source="", whole=False)


def _view(
    sides: tuple[Answer, Answer | None],
    *,
    style: Style,
    fields: tuple[FieldRow, ...],
    source: str,
    whole: bool,
) -> View:
    answers = [one for one in sides if one is not None]
    room = None if whole else CUT
    rows = tuple(
        _row(number, [one.turns[number : number + 1] for one in answers], style=style, room=room)
        for number in range(max(len(one.turns) for one in answers))
    )
    repeats = tuple(
        tuple(
            _cell(side, one.repeats[run] if run < len(one.repeats) else None, style, room)
            for side, one in enumerate(answers)
        )
        for run in range(max(len(one.repeats) for one in answers))
    )
    shown = fields if whole else fields[:ROWS]
    longest = source if room is None else source[:room]
    cut = any(cell.cut for row in rows for cell in (*row.users, *row.cells))
    cut = cut or any(cell.cut for run in repeats for cell in run)
    return View(
        rows=rows,
        repeats=repeats,
        fields=tuple(
            (_field(row.name), _value(row.left), _value(row.right), row.differs) for row in shown
        ),
        source=quoted(longest),
        cut=cut or len(longest) < len(source) or len(shown) < len(fields),
        flagged=any(one.flagged for one in answers),
    )


def _field(name: str) -> Markup:
    """Return a field's name, which may be broken at its dots."""
    return Markup(".<wbr>").join(quoted(part) for part in name.split("."))


def _value(text: str | None) -> Markup | None:
    return None if text is None else quoted(text)


def _row(number: int, turns: list[tuple[Turn, ...]], *, style: Style, room: int | None) -> Row:
    found = [one[0] if one else None for one in turns]
    said = [one.user for one in found if one is not None]
    users = said[:1] if len(set(said)) == 1 and len(said) == len(turns) else None
    if users is None:
        cells = tuple(
            _cell(side, None if one is None else one.user, "raw", room)
            for side, one in enumerate(found)
        )
    else:
        cells = (_cell(0, users[0], "raw", room, letter=""),)
    pictures = next((one.pictures for one in found if one is not None and one.pictures), ())
    return Row(
        number=number + 1,
        users=cells,
        pictures=pictures,
        cells=tuple(_answered(side, one, style, room) for side, one in enumerate(found)),
        marked=any(one is not None and one.marked for one in found),
    )


def _answered(side: int, turn: Turn | None, style: Style, room: int | None) -> Cell:
    if turn is None:
        return _cell(side, None, style, room)
    return replace(_cell(side, turn.answer, style, room), pictures=turn.drawn)


def _cell(
    side: int, text: str | None, style: Style, room: int | None, *, letter: str | None = None
) -> Cell:
    told = "AB"[side] if letter is None else letter
    if text is None:
        return Cell(letter=told, text=Markup(), plain=True, missing=True)
    shown = text if room is None else text[:room]
    rendered = style == "rendered"
    return Cell(
        letter=told,
        text=markdown(shown) if rendered else quoted(shown),
        plain=not rendered,
        cut=len(text) - len(shown),
    )
