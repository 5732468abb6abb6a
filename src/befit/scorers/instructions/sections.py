"""Parts an answer must have: numbered sections, placeholders, a postscript, a title."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal

from pydantic import Field

from befit.scorers.instructions.base import Amount, Answer, Check, Finding, Instruction, judge
from befit.scorers.instructions.text import composed, whole_word

_DOTTED = re.compile(r"[^\W\d_]\.(?:-?[^\W\d_]\.?){1,3}")


def enclosed(text: str, opening: str, closing: str) -> Iterator[tuple[int, int]]:
    """Yield the spans from each `opening` to the next `closing` on its line, in linear time."""
    at = 0
    while (start := text.find(opening, at)) >= 0:
        stop = text.find(closing, start + len(opening))
        if stop < 0:
            return
        line_end = text.find("\n", start)
        if 0 <= line_end < stop:
            at = line_end
        else:
            at = stop + len(closing)
            yield start, at


class Sections(Amount):
    """The number of sections, each begun by the marker and a number.

    `Section 1`; in Japanese `第1章`: give `marker: 章` and `before: 第`. The
    number may be in kanji where `before` is set.
    """

    kind: Literal["sections"] = "sections"
    marker: str = Field(min_length=1)
    before: str = ""
    """What stands before the number; the marker then follows it."""

    def checker(self) -> Check:
        """Compile."""
        marker = re.escape(composed(self.marker.strip()))
        if self.before:
            number = (
                r"\s?[\d\u4e00\u4e8c\u4e09\u56db\u4e94\u516d\u4e03\u516b\u4e5d\u5341\u767e]+\s?"
            )
            pattern = re.compile(f"{re.escape(self.before)}{number}{marker}")
        else:
            pattern = re.compile(rf"{marker}\s?\d+")
        verdict = judge(self, f"sections '{self.marker}'")

        def check(answer: Answer) -> Finding:
            spans = [match.span() for match in pattern.finditer(answer.text)]
            return verdict(len(spans), span=spans[0] if spans else None)

        return check


class Placeholders(Amount):
    """The number of placeholders in brackets, for instance `[address]`."""

    kind: Literal["placeholders"] = "placeholders"
    opening: str = Field(default="[", min_length=1)
    closing: str = Field(default="]", min_length=1)

    def checker(self) -> Check:
        """Compile."""
        verdict = judge(self, "placeholders")

        def check(answer: Answer) -> Finding:
            spans = list(enclosed(answer.text, self.opening, self.closing))
            return verdict(len(spans), span=spans[0] if spans else None)

        return check


class Title(Instruction):
    """A title that is not empty, enclosed on one line, for instance `<<title>>` or `『title』`."""

    kind: Literal["title"] = "title"
    opening: str = Field(default="<<", min_length=1)
    closing: str = Field(default=">>", min_length=1)

    def checker(self) -> Check:
        """Compile."""
        edges = self.opening + self.closing + " \t"

        def check(answer: Answer) -> Finding:
            for start, end in enclosed(answer.text, self.opening, self.closing):
                title = answer.text[start:end]
                if title.strip(edges):
                    return Finding(held=True, found=f"title '{title[:60]}'", span=(start, end))
            return Finding(held=False, found=f"no title in {self.opening} {self.closing}")

        return check


class Postscript(Instruction):
    """A postscript begins with this marker, in any case, with or without a space after its dots."""

    kind: Literal["postscript"] = "postscript"
    marker: str = Field(default="P.S.", min_length=1)

    def checker(self) -> Check:
        """Compile."""
        marker = composed(self.marker.strip())
        if _DOTTED.fullmatch(marker):
            # `P.P.S` is met by `P. P. S.` too; its last dot is asked for only if the marker has it.
            inner = re.escape(marker.rstrip(".")).replace(r"\.", r"\.\s?")
            dotted = inner + (r"\." if marker.endswith(".") else r"(?!\w)")
            pattern = re.compile(rf"(?<!\w)(?<!\b\w\.){dotted}", re.IGNORECASE)
        else:
            pattern = re.compile(whole_word(marker), re.IGNORECASE)

        def check(answer: Answer) -> Finding:
            match = pattern.search(answer.text)
            if match is None:
                return Finding(held=False, found=f"no '{self.marker}'")
            return Finding(held=True, found=f"'{match[0]}'", span=match.span())

        return check
