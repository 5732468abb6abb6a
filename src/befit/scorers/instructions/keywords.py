"""Words that must, must not, or must so often appear, and letters likewise."""

from __future__ import annotations

import re
from typing import Annotated, Literal

from pydantic import Field

from befit.scorers.instructions.base import Amount, Answer, Check, Finding, Instruction, judge
from befit.scorers.instructions.text import composed, whole_word

Word = Annotated[str, Field(min_length=1)]
Words = Annotated[tuple[Word, ...], Field(min_length=1)]


def _pattern(word: str, *, whole: bool, case: bool) -> re.Pattern[str]:
    plain = composed(word.strip() or word)
    return re.compile(
        whole_word(plain) if whole else re.escape(plain), 0 if case else re.IGNORECASE
    )


class Keywords(Instruction):
    """Every one of these words appears; inside a longer word too unless `whole_words` is set."""

    kind: Literal["keywords"] = "keywords"
    words: Words
    whole_words: bool = False
    case_sensitive: bool = False

    def checker(self) -> Check:
        """Compile."""
        patterns = [
            (word, _pattern(word, whole=self.whole_words, case=self.case_sensitive))
            for word in self.words
        ]

        def check(answer: Answer) -> Finding:
            found = {word: pattern.search(answer.text) for word, pattern in patterns}
            missing = [word for word, match in found.items() if match is None]
            first = next((match.span() for match in found.values() if match), None)
            if missing:
                return Finding(held=False, found=f"missing: {', '.join(missing)}")
            return Finding(held=True, found=f"all {len(found)} appear", span=first)

        return check


class Forbidden(Instruction):
    """None of these words appears; part of a longer word is allowed unless `whole_words` is off."""

    kind: Literal["forbidden"] = "forbidden"
    words: Words
    whole_words: bool = True
    case_sensitive: bool = False

    def checker(self) -> Check:
        """Compile."""
        patterns = [
            _pattern(word, whole=self.whole_words, case=self.case_sensitive) for word in self.words
        ]

        def check(answer: Answer) -> Finding:
            found = [match for pattern in patterns if (match := pattern.search(answer.text))]
            if not found:
                return Finding(held=True, found="none appears")
            words = ", ".join(match[0] for match in found)
            return Finding(held=False, found=f"appears: {words}", span=found[0].span())

        return check


class KeywordCount(Amount):
    """How often a word appears; inside a longer word too unless `whole_words` is set."""

    kind: Literal["keyword_count"] = "keyword_count"
    word: Word
    whole_words: bool = False
    case_sensitive: bool = False

    def checker(self) -> Check:
        """Compile."""
        pattern = _pattern(self.word, whole=self.whole_words, case=self.case_sensitive)
        verdict = judge(self, f"times '{self.word}'")

        def check(answer: Answer) -> Finding:
            spans = [match.span() for match in pattern.finditer(answer.text)]
            return verdict(len(spans), span=spans[0] if spans else None)

        return check


class LetterCount(Amount):
    """How often one letter (or any single character) appears, in any case."""

    kind: Literal["letter_count"] = "letter_count"
    letter: str = Field(min_length=1, max_length=2)

    def checker(self) -> Check:
        """Compile."""
        letter = composed(self.letter).lower()
        verdict = judge(self, f"times '{self.letter}'")
        return lambda answer: verdict(answer.text.lower().count(letter))
