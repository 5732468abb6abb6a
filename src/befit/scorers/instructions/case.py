"""Upper and lower case."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Literal

from befit.scorers.instructions.base import Amount, Answer, Check, Finding, Instruction, judge

# An apostrophe joins (`L'ÉTÉ`) but before an English ending it parts (`I'm` is `I` and `m`).
_TOKEN = re.compile(r"[^\W_](?:[\w&/.-]|['\u2019](?!(?:s|m|d|t|ll|re|ve)\b)(?=\w))*", re.IGNORECASE)


class AllLowercase(Instruction):
    """No capital letter anywhere; letters without case do not count."""

    kind: Literal["all_lowercase"] = "all_lowercase"

    def checker(self) -> Check:
        """Compile."""
        return _all_lowercase


class AllUppercase(Instruction):
    """No small letter anywhere; letters without case do not count."""

    kind: Literal["all_uppercase"] = "all_uppercase"

    def checker(self) -> Check:
        """Compile."""
        return _all_uppercase


def _all_lowercase(answer: Answer) -> Finding:
    if answer.text.islower():
        return Finding(held=True, found="all in lower case")
    return _first(answer.text, "capital", lambda c: c.isupper() or c.istitle())


def _all_uppercase(answer: Answer) -> Finding:
    if answer.text.isupper():
        return Finding(held=True, found="all in capitals")
    return _first(answer.text, "small", lambda c: c.islower() or (c.istitle() and not c.isupper()))


def _first(text: str, what: str, offends: Callable[[str], bool]) -> Finding:
    at = next((n for n, character in enumerate(text) if offends(character)), None)
    if at is None:
        return Finding(held=True, found=f"no {what} letter")
    return Finding(held=False, found=f"{what} letter '{text[at]}'", span=(at, at + 1))


class CapitalWords(Amount):
    """The number of words written all in capitals, of one letter too (`I`, `HIGH-TECH`)."""

    kind: Literal["capital_words"] = "capital_words"

    def checker(self) -> Check:
        """Compile."""
        verdict = judge(self, "words in capitals")

        def check(answer: Answer) -> Finding:
            spans = [m.span() for m in _TOKEN.finditer(answer.text) if m[0].isupper()]
            return verdict(len(spans), span=spans[0] if spans else None)

        return check
