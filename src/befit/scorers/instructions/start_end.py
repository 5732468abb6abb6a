"""How an answer begins and ends, and how its sentences end."""

from __future__ import annotations

import re
from typing import Annotated, Literal

from pydantic import Field

from befit.scorers.instructions.base import Amount, Answer, Check, Finding, Instruction, judge
from befit.scorers.instructions.text import HAN, KATAKANA, LONG_MARK, composed, sentences

_CLOSERS = " \t\n\r.!?\u2026\u3002\uff01\uff1f\uff0e\"'\u201d\u2019\u00bb)]}\u300d\u300f\uff09*_"
_NOMINAL = re.compile(rf"[{HAN}{KATAKANA}{LONG_MARK}]$|(?:こと|もの|ところ|とき|ため|わけ|はず)$")

Pair = Annotated[str, Field(min_length=2, max_length=2)]


class StartsWith(Instruction):
    """The answer begins with this phrase, in any case; white space before it does not count."""

    kind: Literal["starts_with"] = "starts_with"
    phrase: str = Field(min_length=1)

    def checker(self) -> Check:
        """Compile."""
        phrase = composed(self.phrase).strip().casefold()

        def check(answer: Answer) -> Finding:
            text = answer.text.lstrip()
            start = len(answer.text) - len(text)
            return Finding(
                held=text.casefold().startswith(phrase),
                found=f"begins '{text[: len(phrase)]}'",
                span=(start, start + min(len(text), len(phrase))),
            )

        return check


class EndsWith(Instruction):
    """The answer ends with this phrase, in any case; closing double quotes may follow it."""

    kind: Literal["ends_with"] = "ends_with"
    phrase: str = Field(min_length=1)

    def checker(self) -> Check:
        """Compile."""
        phrase = composed(self.phrase).strip().casefold()

        def check(answer: Answer) -> Finding:
            text = answer.text.rstrip().rstrip('"\u201d\u00bb\u300d\u300f').rstrip()
            end = text[-len(phrase) :]
            held = text.casefold().endswith(phrase) or answer.text.rstrip().casefold().endswith(
                phrase
            )
            return Finding(held=held, found=f"ends '{end}'", span=(len(text) - len(end), len(text)))

        return check


class Quoted(Instruction):
    """The whole answer stands in quotation marks, one of these pairs (opening, closing)."""

    kind: Literal["quoted"] = "quoted"
    marks: Annotated[tuple[Pair, ...], Field(min_length=1)] = (
        '""',
        "\u201c\u201d",
        "\u00ab\u00bb",
        "\u201e\u201c",
        "\u300c\u300d",
        "\u300e\u300f",
    )

    def checker(self) -> Check:
        """Compile."""
        marks = {(pair[0], pair[1]) for pair in self.marks}

        def check(answer: Answer) -> Finding:
            text = answer.text.strip()
            held = len(text) > 1 and (text[0], text[-1]) in marks
            return Finding(held=held, found=f"begins {text[:1]!r}, ends {text[-1:]!r}")

        return check


class SentenceEndings(Instruction):
    """Every sentence ends with these letters; marks and brackets after them do not count."""

    kind: Literal["sentence_endings"] = "sentence_endings"
    ending: str = Field(min_length=1)

    def checker(self) -> Check:
        """Compile."""
        ending = composed(self.ending).casefold()

        def check(answer: Answer) -> Finding:
            spans = _lines_and_sentences(answer.text)
            for start, end in spans:
                if not answer.text[start:end].rstrip(_CLOSERS).casefold().endswith(ending):
                    return Finding(
                        held=False,
                        found=f"'{answer.text[start:end][-20:]}' does not end '{self.ending}'",
                        span=(start, end),
                    )
            return Finding(held=True, found=f"all {len(spans)} sentences end '{self.ending}'")

        return check


class NominalEndings(Amount):
    """The number of Japanese sentences or lines that end in a noun (taigen-dome).

    Recognised by the last character, kanji or katakana, or by a formal noun
    (`こと`, `もの`, `とき` ...): an approximation that needs no dictionary.
    """

    kind: Literal["nominal_endings"] = "nominal_endings"

    def checker(self) -> Check:
        """Compile."""
        verdict = judge(self, "endings in a noun")

        def check(answer: Answer) -> Finding:
            spans = [
                span
                for span in _lines_and_sentences(answer.text)
                if _NOMINAL.search(answer.text[slice(*span)].rstrip(_CLOSERS))
            ]
            return verdict(len(spans), span=spans[0] if spans else None)

        return check


def _lines_and_sentences(text: str) -> list[tuple[int, int]]:
    """Sentences, and lines too: headlines and list items carry no full stop."""
    spans, start = [], 0
    for line in text.splitlines(keepends=True):
        spans += [(start + low, start + high) for low, high in sentences(line)]
        start += len(line)
    return spans
