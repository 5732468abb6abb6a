"""Length: words, characters, sentences, paragraphs, lines, and how a paragraph begins."""

from __future__ import annotations

import re
from typing import Literal

from pydantic import Field

from befit.scorers.instructions.base import Amount, Answer, Check, Finding, Instruction, judge
from befit.scorers.instructions.text import (
    composed,
    count_words,
    has_spaceless,
    paragraphs,
    sentences,
)

_OPENING = " \t\"'\u201c\u2018\u00ab\u00bf\u00a1\u300c\u300e"
_DIVIDER = re.compile(r"\s?\*\*\*\s?")


class Words(Amount):
    """The number of words; in scripts without spaces, of characters.

    `don't` and `well-known` are two words each, as in IFEval.
    """

    kind: Literal["words"] = "words"

    def checker(self) -> Check:
        """Compile."""
        verdict = judge(self, "words")
        return lambda answer: verdict(count_words(answer.text))


class Characters(Amount):
    """The number of characters, without line breaks; spaces count unless `spaces` is off."""

    kind: Literal["characters"] = "characters"
    spaces: bool = True

    def checker(self) -> Check:
        """Compile."""
        verdict = judge(self, "characters")
        if self.spaces:
            return lambda answer: verdict(len(answer.text) - answer.text.count("\n"))
        return lambda answer: verdict(sum(map(len, answer.text.split())))


class Sentences(Amount):
    """The number of sentences.

    They end at `.`, `!`, `?`, an ellipsis and their kin before a space, and at
    `。` and full-width marks anywhere; not after an initial, a common
    abbreviation (`Dr.`, `e.g.`, `z.B.`) or the number of a list item.
    """

    kind: Literal["sentences"] = "sentences"

    def checker(self) -> Check:
        """Compile."""
        verdict = judge(self, "sentences")
        return lambda answer: verdict(len(sentences(answer.text)))


class Lines(Amount):
    """The number of lines that are not empty."""

    kind: Literal["lines"] = "lines"

    def checker(self) -> Check:
        """Compile."""
        verdict = judge(self, "lines")
        return lambda answer: verdict(
            sum(1 for line in answer.text.splitlines() if not line.isspace() and line)
        )


class SingleLine(Instruction):
    """The whole answer stands on one line; space around it does not count."""

    kind: Literal["single_line"] = "single_line"

    def checker(self) -> Check:
        """Compile."""
        return _single_line


def _single_line(answer: Answer) -> Finding:
    count = len(answer.text.strip().splitlines())
    return Finding(held=count <= 1, found=f"{count} lines, one asked")


class Paragraphs(Amount):
    """The number of paragraphs, parted by blank lines or by a line of `***`.

    With the divider an empty paragraph between two of them breaks the rule
    (IFEval); before the first and after the last it does not count.
    """

    kind: Literal["paragraphs"] = "paragraphs"
    separator: Literal["blank_line", "***"] = "blank_line"

    def checker(self) -> Check:
        """Compile."""
        verdict = judge(self, "paragraphs")
        if self.separator == "blank_line":
            return lambda answer: verdict(len(paragraphs(answer.text)))

        def check(answer: Answer) -> Finding:
            parts = _DIVIDER.split(answer.text)
            empty = [n for n, part in enumerate(parts) if not part.strip()]
            if any(0 < n < len(parts) - 1 for n in empty):
                return Finding(held=False, found="an empty paragraph between two dividers")
            return verdict(len(parts) - len(empty))

        return check


class ParagraphStart(Instruction):
    """The paragraph with this number begins with these words, in any case.

    Quotation marks before them do not count. `of` asks for the number of
    paragraphs at the same time. Paragraphs are parted by blank lines.
    """

    kind: Literal["paragraph_start"] = "paragraph_start"
    paragraph: int = Field(ge=1)
    words: str = Field(min_length=1)
    of: int | None = Field(default=None, ge=1)

    def checker(self) -> Check:
        """Compile."""
        words = composed(self.words.strip())
        opening = re.compile(re.escape(words) + _after(words), re.IGNORECASE)

        def check(answer: Answer) -> Finding:
            parts = paragraphs(answer.text)
            if self.of is not None and len(parts) != self.of:
                return Finding(held=False, found=f"{len(parts)} paragraphs, {self.of} asked")
            if len(parts) < self.paragraph:
                return Finding(held=False, found=f"{len(parts)} paragraphs, no {self.paragraph}.")
            part = parts[self.paragraph - 1].lstrip(_OPENING)
            start = answer.text.find(part)
            return Finding(
                held=opening.match(part) is not None,
                found=f"paragraph {self.paragraph} begins '{part[:40]}', '{self.words}' asked",
                span=(start, start + min(len(part), len(self.words))),
            )

        return check


def _after(words: str) -> str:
    """The word asked for must end there: `Para` does not open `Parametro` nor `Para-choque`."""
    last = words.rstrip()[-1:]
    return r"(?![\w-])" if last.isalnum() and not has_spaceless(last) else ""
