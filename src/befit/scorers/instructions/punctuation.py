"""Punctuation: commas, questions, exclamations, and any characters to keep out."""

from __future__ import annotations

import re
from typing import Literal

from pydantic import Field

from befit.scorers.instructions.base import Amount, Answer, Check, Finding, Instruction, judge
from befit.scorers.instructions.text import composed

_COMMAS = ",\uff0c\u3001\uff64\u060c\ufe50\ufe51"
_QUESTION = re.compile(r"[?\uff1f\u061f\u037e]")
_EXCLAMATION = re.compile(r"[!\uff01]")


def _without(characters: str) -> Check:
    pattern = re.compile("|".join(re.escape(c) for c in characters))

    def check(answer: Answer) -> Finding:
        match = pattern.search(answer.text)
        if match is None:
            return Finding(held=True, found="none appears")
        return Finding(held=False, found=f"'{match[0]}' appears", span=match.span())

    return check


class NoComma(Instruction):
    """No comma of any script: `,` `，` `、` `،`."""

    kind: Literal["no_comma"] = "no_comma"

    def checker(self) -> Check:
        """Compile."""
        return _without(_COMMAS)


class NoCharacters(Instruction):
    """None of these characters appears, exactly as written here."""

    kind: Literal["no_characters"] = "no_characters"
    characters: str = Field(min_length=1)

    def checker(self) -> Check:
        """Compile."""
        return _without(composed(self.characters))


class Questions(Amount):
    """The number of question marks; Spanish `¿` opens what `?` closes and is not counted again."""

    kind: Literal["questions"] = "questions"

    def checker(self) -> Check:
        """Compile."""
        return _counting(self, _QUESTION, "question marks")


class Exclamations(Amount):
    """The number of exclamation marks; the opening `¡` is not counted again."""

    kind: Literal["exclamations"] = "exclamations"

    def checker(self) -> Check:
        """Compile."""
        return _counting(self, _EXCLAMATION, "exclamation marks")


def _counting(amount: Amount, pattern: re.Pattern[str], noun: str) -> Check:
    verdict = judge(amount, noun)

    def check(answer: Answer) -> Finding:
        spans = [match.span() for match in pattern.finditer(answer.text)]
        return verdict(len(spans), span=spans[0] if spans else None)

    return check
