"""Letters and scripts: kana and kanji, furigana, digits, accents, words with certain letters."""

from __future__ import annotations

import re
import unicodedata
from typing import Annotated, Literal

from pydantic import Field

from befit.scorers.instructions.base import Amount, Answer, Check, Finding, Instruction, judge
from befit.scorers.instructions.text import HAN, HIRAGANA, KATAKANA, LONG_MARK, composed, whole_word

Script = Literal["hiragana", "katakana", "kanji", "latin", "cyrillic", "greek", "arabic", "hangul"]

_RANGES: dict[str, str] = {
    "hiragana": HIRAGANA,
    "katakana": KATAKANA,
    "kanji": HAN,
    "latin": (
        "A-Za-z\u00aa\u00ba\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f\u1e00-\u1eff"
        "\uff21-\uff3a\uff41-\uff5a"
    ),
    "cyrillic": "\u0400-\u052f",
    "greek": "\u0370-\u03ff\u1f00-\u1fff",
    "arabic": "\u0600-\u06ff\u0750-\u077f\ufb50-\ufdff\ufe70-\ufefc",
    "hangul": "\uac00-\ud7a3\u1100-\u11ff\u3131-\u318e",
}
_DIGIT = re.compile(r"\d")
_KANJI_RUN = re.compile(
    rf"[{HAN}]+(?:\s?[\uff08(][{HIRAGANA}{KATAKANA}{LONG_MARK}\s\u30fb]+[\uff09)])?"
)
_WORD = re.compile(r"[^\W\d_]+")


class OnlyScripts(Instruction):
    """Every letter is of one of these scripts; digits, marks and spaces do not count."""

    kind: Literal["only_scripts"] = "only_scripts"
    scripts: Annotated[tuple[Script, ...], Field(min_length=1)]

    def checker(self) -> Check:
        """Compile."""
        # The sound-lengthening mark goes with both kana.
        allowed = "".join(_RANGES[script] for script in self.scripts) + LONG_MARK
        return _absent(re.compile(rf"[^\W\d_{allowed}]"))


class NoScripts(Instruction):
    """No letter of these scripts appears."""

    kind: Literal["no_scripts"] = "no_scripts"
    scripts: Annotated[tuple[Script, ...], Field(min_length=1)]

    def checker(self) -> Check:
        """Compile."""
        return _absent(re.compile(f"[{''.join(_RANGES[script] for script in self.scripts)}]"))


class ScriptCount(Amount):
    """The number of letters of one script, for instance of kanji."""

    kind: Literal["script_count"] = "script_count"
    script: Script

    def checker(self) -> Check:
        """Compile."""
        return _present(self, re.compile(f"[{_RANGES[self.script]}]"), f"letters in {self.script}")


class Furigana(Instruction):
    """Every run of kanji is followed by its reading in kana, in brackets: `漢字（かんじ）`."""

    kind: Literal["furigana"] = "furigana"

    def checker(self) -> Check:
        """Compile."""
        return _furigana


def _furigana(answer: Answer) -> Finding:
    runs = list(_KANJI_RUN.finditer(answer.text))
    for match in runs:
        if match[0][-1] not in "\uff09)":
            return Finding(held=False, found=f"'{match[0]}' without reading", span=match.span())
    return Finding(held=True, found=f"{len(runs)} runs of kanji, each with its reading")


class NoDigits(Instruction):
    """No digit of any script; number words and kanji numerals are allowed."""

    kind: Literal["no_digits"] = "no_digits"

    def checker(self) -> Check:
        """Compile."""
        return _absent(_DIGIT)


class NoAccents(Instruction):
    """No letter carries an accent or other mark: à, ç, é, ñ, ü."""

    kind: Literal["no_accents"] = "no_accents"

    def checker(self) -> Check:
        """Compile."""
        return _no_accents


def _no_accents(answer: Answer) -> Finding:
    if not answer.text.isascii():
        for at, letter in enumerate(answer.text):
            marked = unicodedata.normalize("NFD", letter)
            if marked[0].isascii() and marked[0].isalpha() and len(marked) > 1:
                return Finding(held=False, found=f"'{letter}' appears", span=(at, at + 1))
    return Finding(held=True, found="no accent")


class WordsWith(Amount):
    """The number of words that hold at least one of these letters, in any case: `ñ`, `áéíóú`."""

    kind: Literal["words_with"] = "words_with"
    letters: str = Field(min_length=1)

    def checker(self) -> Check:
        """Compile."""
        letters = set(composed(self.letters).casefold())
        verdict = judge(self, f"words with {' or '.join(sorted(letters))}")

        def check(answer: Answer) -> Finding:
            words = _WORD.finditer(answer.text)
            spans = [m.span() for m in words if not letters.isdisjoint(m[0].casefold())]
            return verdict(len(spans), span=spans[0] if spans else None)

        return check


class Spelling(Instruction):
    """Each word appears as it should be spelled and never as it should not: `{lecon: leçon}`."""

    kind: Literal["spelling"] = "spelling"
    words: Annotated[dict[str, str], Field(min_length=1)]

    def checker(self) -> Check:
        """Compile."""
        pairs = [(_whole(wrong), _whole(right), right) for wrong, right in self.words.items()]

        def check(answer: Answer) -> Finding:
            for wrong, right, spelled in pairs:
                offence = wrong.search(answer.text)
                if offence is not None:
                    return Finding(held=False, found=f"'{offence[0]}'", span=offence.span())
                if right.search(answer.text) is None:
                    return Finding(held=False, found=f"'{spelled}' is missing")
            return Finding(held=True, found=f"all {len(pairs)} spelled as asked")

        return check


def _whole(word: str) -> re.Pattern[str]:
    return re.compile(whole_word(composed(word)), re.IGNORECASE)


def _absent(pattern: re.Pattern[str]) -> Check:
    def check(answer: Answer) -> Finding:
        match = pattern.search(answer.text)
        if match is None:
            return Finding(held=True, found="none appears")
        return Finding(held=False, found=f"'{match[0]}' appears", span=match.span())

    return check


def _present(amount: Amount, pattern: re.Pattern[str], noun: str) -> Check:
    verdict = judge(amount, noun)

    def check(answer: Answer) -> Finding:
        spans = [match.span() for match in pattern.finditer(answer.text)]
        return verdict(len(spans), span=spans[0] if spans else None)

    return check
