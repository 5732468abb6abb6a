"""How wide the columns of a table are on a terminal: words, numbers and intervals stay whole.

Cells are wrapped before anything is cut, and the widest columns give way first. Where even
that does not do, words are folded: a table never loses a character.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

LONGEST = 24
"""Characters of a word that a narrow table keeps in one piece."""
SHORT = 10
"""A cell as short as this (`16 x 5`, `[2, 33]`) stands in one line."""
HEADER = 18
"""A name of a column as short as this is looked for as a whole."""
GAP = 2
"""Between two columns."""


def natural(cells: Sequence[str]) -> int:
    """Return the width at which no cell of a column is wrapped."""
    return max(map(len, cells), default=0)


def narrowest(cells: Sequence[str], *, header: int = SHORT) -> int:
    """Return the least width that breaks no word, short cell or interval of a column.

    Args:
        cells: the header and the cells below it.
        header: up to so many characters the header stands in one line.
    """
    least = max((len(piece) for cell in cells for piece in _pieces(cell)), default=1)
    title = len(cells[0]) if cells and len(cells[0]) <= header else 1
    return min(LONGEST, max(least, title))


def _pieces(cell: str) -> list[str]:
    if len(cell) <= SHORT:
        return [cell]
    value, bracket, interval = cell.partition(" [")
    if bracket and interval.endswith("]"):
        return [*_pieces(value), f"[{interval}"]
    return cell.split()


def widths(
    columns: Mapping[int, Sequence[str]], *, numeric: Collection[int], width: int
) -> dict[int, int]:
    """Return the width of each column, all of them together within `width`.

    Args:
        columns: by their number, the header and the cells of each.
        numeric: columns whose cells are kept in one line where there is room.
        width: of the terminal.
    """
    room = max(len(columns), width - GAP * len(columns))
    wide = {at: natural(cells) for at, cells in columns.items()}
    words = {at: min(wide[at], narrowest(cells)) for at, cells in columns.items()}
    lines = {at: wide[at] if at in numeric else words[at] for at in columns}
    titles = {at: max(lines[at], narrowest(cells, header=HEADER)) for at, cells in columns.items()}
    folded = dict.fromkeys(columns, 1)
    least = next(one for one in (titles, lines, words, folded) if sum(one.values()) <= room)
    while sum(wide.values()) > room:
        widest = max((at for at in wide if wide[at] > least[at]), key=lambda at: wide[at])
        wide[widest] -= 1
    return wide


def wrapped(cell: str, width: int) -> str:
    """Return `cell` with its interval on a line of its own, where both have no room on one."""
    return cell.replace(" [", "\n[", 1) if len(cell) > width else cell
