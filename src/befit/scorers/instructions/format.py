"""Markup and data: JSON only, lists, highlights, tables, or no Markdown at all."""

from __future__ import annotations

import re
from typing import Literal

import orjson
from pydantic import Field

from befit.scorers.instructions.base import Amount, Answer, Check, Finding, Instruction, judge
from befit.scorers.instructions.sections import enclosed

_FENCE = re.compile(r"\A```[ \t]*(?:json)?", re.IGNORECASE)
_STAR_BULLET = re.compile(r"^[^\S\n]*\*[^\S\n].*$", re.MULTILINE)
_DASH_BULLET = re.compile(r"^[^\S\n]*-[^\S\n].*$", re.MULTILINE)
_DOT_BULLET = re.compile(r"^[^\S\n]*[\u30fb\u2022\u25cf\uff65\u2023\u25e6\u25aa].*$", re.MULTILINE)
_NUMBERED = re.compile(
    r"^[^\S\n]*(?:\(?(?:\d{1,3})[.)]|[\uff10-\uff19]{1,3}[\uff0e.)\uff09])[^\S\n]*\S", re.MULTILINE
)
_SINGLE = re.compile(r"\*([^\n*]*)\*")
_DOUBLE = re.compile(r"\*\*([^\n*]*)\*\*")
_MARKDOWN = re.compile(
    r"^[^\S\n]{0,3}#{1,6}[^\S\n]+\S"  # heading
    r"|^[^\S\n]*(?:[*+-]|\d{1,3}[.)])[^\S\n]+\S"  # list item
    r"|^[^\S\n]*>[^\S\n]?\S"  # quotation
    r"|^[^\S\n]*(?:```|~~~)"  # fence
    r"|^[^\S\n]*\|?[^\S\n]*:?-{3,}:?[^\S\n]*(?:\||$)"  # table rule or divider
    r"|\*\*(?=\S)[^*\n]+\*\*|(?<![\w_])__(?=\S)[^_\n]+__(?!\w)"  # bold
    r"|(?<![\w*])\*(?=[^\s*])[^*\n]*[^\s*]\*(?![\w*])"  # italics
    r"|`[^`\n]+`"  # code
    r"|\]\([^()\s]+\)",  # link
    re.MULTILINE,
)
_TABLE_RULE = re.compile(r"^[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$")


class JsonOnly(Instruction):
    """The whole answer is one JSON document; with `fenced`, it may stand in a Markdown fence."""

    kind: Literal["json_only"] = "json_only"
    fenced: bool = False

    def checker(self) -> Check:
        """Compile."""

        def check(answer: Answer) -> Finding:
            text = answer.text.strip()
            if self.fenced:
                text = _FENCE.sub("", text).removesuffix("```").strip()
            try:
                value = orjson.loads(text)
            except orjson.JSONDecodeError as error:
                return Finding(held=False, found=f"no JSON: {error.msg}"[:120])
            return Finding(held=True, found=f"a JSON {_NAMES.get(type(value), 'number')}")

        return check


_NAMES = {dict: "object", list: "array", str: "string", bool: "boolean", type(None): "null"}


class Bullets(Amount):
    """The number of lines that begin with `* ` or `- `, or with `dots` also with `・` or `•`."""

    kind: Literal["bullets"] = "bullets"
    dots: bool = True

    def checker(self) -> Check:
        """Compile."""
        patterns = (_STAR_BULLET, _DASH_BULLET, _DOT_BULLET)[: 3 if self.dots else 2]
        return _counting(self, patterns, "bullets")


class NumberedList(Amount):
    """The number of lines that begin with a number and a dot or bracket (`1.`, `2)`)."""

    kind: Literal["numbered_list"] = "numbered_list"

    def checker(self) -> Check:
        """Compile."""
        return _counting(self, (_NUMBERED,), "numbered items")


def _counting(amount: Amount, patterns: tuple[re.Pattern[str], ...], noun: str) -> Check:
    verdict = judge(amount, noun)

    def check(answer: Answer) -> Finding:
        spans = [m.span() for pattern in patterns for m in pattern.finditer(answer.text)]
        return verdict(len(spans), span=min(spans) if spans else None)

    return check


class Highlights(Amount):
    """The number of highlighted passages that are not empty, on one line each.

    `*so*` and `**so**` by default; with `opening` and `closing` any others,
    for instance `《` and `》`.
    """

    kind: Literal["highlights"] = "highlights"
    opening: str | None = Field(default=None, min_length=1)
    closing: str | None = Field(default=None, min_length=1)

    def checker(self) -> Check:
        """Compile."""
        verdict = judge(self, "highlights")
        opening = self.opening
        closing = self.closing or opening

        def check(answer: Answer) -> Finding:
            if opening and closing:
                found = enclosed(answer.text, opening, closing)
                edge, last = len(opening), len(closing)
                spans = [(a, b) for a, b in found if answer.text[a + edge : b - last].strip()]
            else:
                matches = [*_SINGLE.finditer(answer.text), *_DOUBLE.finditer(answer.text)]
                spans = [match.span() for match in matches if match[1].strip()]
            return verdict(len(spans), span=min(spans) if spans else None)

        return check


class NoMarkdown(Instruction):
    """No Markdown: headings, lists, emphasis, code, links, quotations, tables, dividers."""

    kind: Literal["no_markdown"] = "no_markdown"

    def checker(self) -> Check:
        """Compile."""
        return _no_markdown


def _no_markdown(answer: Answer) -> Finding:
    match = _MARKDOWN.search(answer.text)
    if match is None:
        return Finding(held=True, found="no Markdown")
    return Finding(held=False, found=f"Markdown '{match[0][:40]}'", span=match.span())


class Table(Instruction):
    """A Markdown table with these column headings (in this order) and this number of rows."""

    kind: Literal["table"] = "table"
    columns: tuple[str, ...] = ()
    rows: int | None = Field(default=None, ge=0)

    def checker(self) -> Check:
        """Compile."""
        wanted = [column.strip().casefold() for column in self.columns]

        def check(answer: Answer) -> Finding:
            said = "no Markdown table"
            for heading, rows in _tables(answer.text.splitlines()):
                said = f"a table of {len(heading)} columns and {rows} rows"
                fits = not wanted or [cell.casefold() for cell in heading] == wanted
                if fits and self.rows in {None, rows}:
                    return Finding(held=True, found=said)
            return Finding(held=False, found=said)

        return check


def _tables(lines: list[str]) -> list[tuple[list[str], int]]:
    """Return the heading cells and the number of body rows of every table."""
    found = []
    for n, line in enumerate(lines[1:], start=1):
        heading = _cells(lines[n - 1])
        if "|" not in lines[n - 1] or "-" not in line or not _TABLE_RULE.match(line):
            continue
        if len(_cells(line)) == len(heading):
            body = next((k for k, row in enumerate(lines[n + 1 :]) if "|" not in row), None)
            found.append((heading, len(lines) - n - 1 if body is None else body))
    return found


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().removeprefix("|").removesuffix("|").split("|")]
