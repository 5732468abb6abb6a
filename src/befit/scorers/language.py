"""Is the answer in the language asked for, all of it? The same task in other languages is paired.

The language asked for is the option `code`, else the sample's `language`. Code,
links and what stands in `allow` are left out of the judgement. Besides the whole
answer, every passage long enough to tell is looked at, for an answer that starts
in the right language may end in another. Samples that are the same task in other
languages share a `cluster`; the languages are then compared as pairs.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from pydantic import Field, field_validator

from befit.core.record import Record
from befit.core.sample import Sample
from befit.core.score import Score
from befit.core.trial import Trial
from befit.scorers.checks import Check
from befit.scorers.evidence import Span, quoted, version_of
from befit.scorers.instructions.detect import detect, known

NAME = "language"
CODE_VERSION = "2"
MAX_PASSAGES = 60
"""Passages of an answer that are looked at."""
_LONGEST = 60_000
"""Characters of an answer that are looked at."""
_CODE = re.compile(r"```.*?(?:```|\Z)|`[^`\n]*`|https?://\S+|<[^<>\n]{1,200}>", re.DOTALL)
_PASSAGE = re.compile(r"[^\n]+")
_LETTER = re.compile(r"[^\W\d_]")


class LanguageOptions(Record):
    """Which language, and how much of another is forgiven."""

    code: str | None = Field(
        default=None,
        description="ISO 639 code; by default the sample's own 'language'.",
    )
    share: float = Field(
        default=0.95,
        gt=0,
        le=1,
        description="At least this share of the letters stands in passages in that language.",
    )
    passage: int = Field(
        default=40,
        ge=1,
        description="Shorter passages (lines) are not judged by themselves, in letters.",
    )
    allow: tuple[str, ...] = Field(
        default=(), description="Words that do not count, for instance names and terms."
    )

    @field_validator("code")
    @classmethod
    def _known(cls, code: str | None) -> str | None:
        if code is not None and code.lower() not in known():
            raise ValueError(f"no language that can be told apart; known: {', '.join(known())}")
        return None if code is None else code.lower()


class Language:
    """The language of an answer and of its passages."""

    name = NAME
    primary = "language_right"
    names = ("language_right", "language_share")
    needs_target = False
    Options = LanguageOptions

    def __init__(self, options: LanguageOptions) -> None:
        self.options = options
        self.version = version_of(CODE_VERSION, options)
        words = "|".join(re.escape(word) for word in options.allow if word)
        self._allowed = re.compile(words, re.IGNORECASE) if words else None

    def score(self, sample: Sample, trial: Trial) -> Sequence[Score]:
        """Return `language_right`, and `language_share` where there is a text to judge."""
        asked = (self.options.code or sample.language or "").lower()
        if asked not in known():
            why = f"'{asked}' cannot be told apart" if asked else "no language is asked for"
            return [self._one(None, "no_language", why)]
        output = trial.output[:_LONGEST]
        if not output.strip():
            return [self._one(0.0, "no_answer", name=name) for name in self.names]
        shown = self._blanked(output)
        found, held = detect(shown, asked=asked)
        if found is None:
            return [self._one(1.0, "no_letters", answer=asked)]
        share, foreign = self._passages(shown, asked, whole=held)
        label = "right" if held and share >= self.options.share else "mixed"
        if not held:
            label = "wrong_language" if share < 1 - self.options.share else "mixed"
        where = None
        if label != "right":
            where = f"most likely {found}, {asked} asked"
            if foreign is not None:
                where += f"; {quoted(output[foreign[0] : foreign[1]])}"
        return [
            self._one(float(label == "right"), label, where, span=foreign, answer=found),
            self._one(share, label, name="language_share"),
        ]

    def _blanked(self, text: str) -> str:
        """Return `text` of the same length without code, links and allowed words."""

        def blank(found: re.Match[str]) -> str:
            return re.sub(r"[^\n]", " ", found.group())

        text = _CODE.sub(blank, text)
        return text if self._allowed is None else self._allowed.sub(blank, text)

    def _passages(self, text: str, asked: str, *, whole: bool) -> tuple[float, Span | None]:
        """Return the share of letters in the language asked, and the first passage in another."""
        right = total = 0
        foreign: Span | None = None
        for place, found in enumerate(_PASSAGE.finditer(text)):
            letters = len(_LETTER.findall(found.group()))
            if letters < self.options.passage or place >= MAX_PASSAGES:
                continue
            total += letters
            if detect(found.group(), asked=asked)[1]:
                right += letters
            elif foreign is None:
                foreign = found.span()
        if not total:
            return float(whole), None
        return right / total, foreign

    def _one(
        self,
        value: float | None,
        label: str,
        why: str | None = None,
        *,
        name: str = "language_right",
        span: Span | None = None,
        answer: str | None = None,
    ) -> Score:
        check = Check(
            name=name,
            value=value,
            label=label,
            rule="the language of the whole and of its passages",
            answer=answer,
            span=span,
            explanation=why,
        )
        return check.score(NAME, self.version)
