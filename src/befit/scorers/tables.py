"""Reading CSV and Markdown tables strictly: every row has as many cells as the header."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import dataclass

from befit.scorers.evidence import Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """Header and rows as text, and where the table stands."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    span: Span


def read_csv(text: str, span: Span, *, delimiter: str = ",") -> tuple[Table | None, str | None]:
    """Return (table, None), or (None, why `text[span]` is no CSV)."""
    try:
        reader = csv.reader(
            io.StringIO(text[span[0] : span[1]], newline=""), delimiter=delimiter, strict=True
        )
        lines = [tuple(cell.strip() for cell in row) for row in reader if row]
    except csv.Error as error:
        return None, str(error)
    return _table(lines, span)


_RULE = re.compile(r"[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*+\|?[ \t]*")
_BAR = re.compile(r"(?<!\\)\|")


def read_markdown(text: str, span: Span) -> tuple[Table | None, str | None]:
    """Return the last Markdown table in `text[span]`: header, line of dashes, rows with bars."""
    lines = _lines(text, span)
    found: tuple[Table | None, str | None] = (None, "no line of dashes under a header line")
    for number in range(1, len(lines)):
        content, head = lines[number][0], lines[number - 1][0]
        if "|" not in content or "|" not in head or not _RULE.fullmatch(content):
            continue
        last = number
        while last + 1 < len(lines) and "|" in lines[last + 1][0]:
            last += 1
        cells = [_cells(line) for line, _, _ in (lines[number - 1], *lines[number + 1 : last + 1])]
        if len(_cells(content)) != len(cells[0]):
            continue
        found = _table(cells, (lines[number - 1][1], lines[last][2]))
    return found


def _lines(text: str, span: Span) -> list[tuple[str, int, int]]:
    """Return each line with its start and end in `text`."""
    lines: list[tuple[str, int, int]] = []
    start = span[0]
    for line in text[span[0] : span[1]].split("\n"):
        content = line.rstrip("\r")
        lines.append((content, start, start + len(content)))
        start += len(line) + 1
    return lines


def _cells(line: str) -> tuple[str, ...]:
    inner = line.strip().removeprefix("|")
    inner = inner[:-1] if inner.endswith("|") and not inner.endswith("\\|") else inner
    return tuple(cell.strip().replace("\\|", "|") for cell in _BAR.split(inner))


def _table(lines: list[tuple[str, ...]], span: Span) -> tuple[Table | None, str | None]:
    if not lines:
        return None, "no header"
    width = len(lines[0])
    for number, row in enumerate(lines[1:], start=1):
        if len(row) != width:
            return None, f"row {number} has {len(row)} cells, the header {width}"
    return Table(columns=lines[0], rows=tuple(lines[1:]), span=span), None
