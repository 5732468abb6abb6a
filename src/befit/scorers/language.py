"""Is the answer in the language asked for, all of it? The same task in other languages is paired.

The language asked for is the option `code`, else the sample's `language`. Code,
links and what stands in `allow` are left out of the judgement. Besides the whole
answer, every passage long enough to tell is looked at, line by line and sentence by
sentence, for an answer that starts in the right language may end in another; words of
Latin script in a row are a passage of their own in other scripts. A short sentence that
is in another language beyond doubt (`language_sentences`) is seen as well. An answer of
allowed words alone has no text to judge, and a prompt given back whole, or the end of
what it asks, no words of its own.
Samples that are the same task in other languages share a `cluster`; the languages are
then compared as pairs.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from itertools import chain, islice

from pydantic import Field, field_validator

from befit.core.record import Record
from befit.core.sample import Sample
from befit.core.score import Score
from befit.core.trial import Trial
from befit.scorers.checks import Check
from befit.scorers.evidence import Span, blank, quoted, version_of
from befit.scorers.instructions.detect import detect, known, surely_foreign
from befit.scorers.language_sentences import brief_in, foreign_sentences
from befit.scorers.quoting import PARROTED, end_given_back, nothing_own, own_words, shown_to

NAME = "language"
CODE_VERSION = "6"
MAX_PASSAGES = 60
"""Lines of an answer that are looked at."""
MAX_PARTS = 200
"""Parts of these lines, mostly sentences."""
_LONGEST = 60_000
"""Characters of an answer that are looked at."""
_CODE = re.compile(r"```.*?(?:```|\Z)|`[^`\n]*`|https?://\S+|<[^<>\n]{1,200}>", re.DOTALL)
_PASSAGE = re.compile(r"[^\n]+")
_LETTER = re.compile(r"[^\W\d_]")
_SENTENCE_END = re.compile(r"[.!?\u061f](?=\s)|[\u3002\uff01\uff1f]")
_LATIN_RUN = re.compile(r"(?:[A-Za-z][A-Za-z'\u2019-]*[ ,]{1,2}){5,}[A-Za-z'\u2019-]+")
"""Six words of Latin script in a row: more than a name or a term."""
_FULL = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_OF_FULL = 2.5
"""Letters that a character of these scripts is worth."""
_OTHER_SCRIPTS = frozenset(
    ("ja", "zh", "ko", "ar", "fa", "ur", "he", "ru", "uk", "bg", "el", "th", "hi", "bn", "ta")
)
"""Languages that are not written in Latin script."""
_GIVEN_BACK = 0.98
"""Share of a message that was given back whole: a text to be mended is less of it."""

_STRICT = 0.95
"""From this share asked for on, one sentence in another language is a fault by itself."""


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
        description="At least this share of the letters stands in passages in that language; from"
        " 0.95 on no whole sentence, however short, is beyond doubt in another.",
    )
    passage: int = Field(
        default=40,
        ge=1,
        description="Shorter passages (lines) are not judged by themselves, in letters.",
    )
    allow: tuple[str, ...] = Field(
        default=(), description="Words that do not count, for instance names and terms."
    )
    own_words: bool = Field(
        default=False,
        description="True: an answer of nothing but pieces of the prompt is `parroted`; for tasks"
        " in which no text is to be given back.",
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
        prompt = shown_to(trial)
        if self._parroted(output, prompt):
            return [self._one(0.0, PARROTED, name=name) for name in self.names]
        own = own_words(output, prompt, pieces=math.inf, whole=_GIVEN_BACK)
        shown = self._blanked(output if own is None else own)
        brief = brief_in(shown, asked=asked)
        found, held = detect(shown, asked=asked) if brief is not True else (asked, True)
        held = held and brief is not False
        if found is None:
            return self._without_text(output, asked, parroted=own is not None)
        share, foreign, sentences = self._shares(shown, asked, whole=held)
        pure = not (sentences and self.options.share >= _STRICT)
        label = "right" if held and pure and share >= self.options.share else "mixed"
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

    def _parroted(self, output: str, prompt: Sequence[str]) -> bool:
        said = self._blanked(output)
        prompt = [self._blanked(text) for text in prompt]
        if self.options.own_words and nothing_own(said, prompt):
            return True
        return end_given_back(said, prompt)

    def _shares(
        self, text: str, asked: str, *, whole: bool
    ) -> tuple[float, Span | None, list[Span]]:
        """Return the share in the language asked, the first place in another, and sentences in it.

        Such a sentence is counted by itself, and the passage around it without it.
        """
        sentences = foreign_sentences(text, asked=asked)
        apart = sum(_letters(text[start:end]) for start, end in sentences)
        for start, end in sentences:
            text = text[:start] + " " * (end - start) + text[end:]
        right, total, passage = self._passages(text, asked)
        if not total:
            total = _letters(text)
            right = total * whole
        first = min([*sentences, *([] if passage is None else [passage])], default=None)
        if not total + apart:
            return float(whole), first, sentences
        return right / (total + apart), first, sentences

    def _without_text(self, output: str, asked: str, *, parroted: bool) -> list[Score]:
        if parroted:
            return [self._one(0.0, PARROTED, name=name) for name in self.names]
        if self._allowed is not None and self._allowed.search(_CODE.sub(" ", output)):
            why = "nothing but words that do not count"
            return [self._one(0.0, "no_text", why, name=name) for name in self.names]
        return [self._one(1.0, "no_letters", answer=asked)]

    def _blanked(self, text: str) -> str:
        """Return `text` of the same length without code, links and allowed words."""
        text = _CODE.sub(blank, text)
        return text if self._allowed is None else self._allowed.sub(blank, text)

    def _passages(self, text: str, asked: str) -> tuple[float, float, Span | None]:
        """Return letters in the language asked, letters of all, the first passage in another."""
        right = total = 0.0
        foreign: Span | None = None
        other = asked.partition("-")[0] in _OTHER_SCRIPTS
        lines = islice(_PASSAGE.finditer(text), MAX_PASSAGES)
        parts = chain.from_iterable(self._parts(text, one.span(), other=other) for one in lines)
        for start, end, alone in islice(parts, MAX_PARTS):
            part = text[start:end]
            letters = _letters(part)
            total += letters
            if not _is_foreign(part, asked, alone=alone):
                right += letters
            elif foreign is None:
                foreign = (start, end)
        return right, total, foreign

    def _parts(self, text: str, line: Span, *, other: bool) -> Iterator[tuple[int, int, bool]]:
        """Yield the parts of a line that are long enough to tell, and whether it is but one.

        Short sentences go with those before or after them.
        """
        cuts = sorted({line[0], line[1], *_cuts(text, line, other=other)})
        parts: list[Span] = []
        start = line[0]
        for cut in cuts[1:]:
            if _letters(text[start:cut]) >= self.options.passage:
                parts.append((start, cut))
                start = cut
        if parts and start < line[1]:
            parts[-1] = (parts[-1][0], line[1])
        yield from ((*part, len(parts) == 1) for part in parts)

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


def _letters(text: str) -> float:
    """Return the letters of `text`, as many as they would be in an alphabet."""
    full = 0 if text.isascii() else len(_FULL.findall(text))
    return len(_LETTER.findall(text)) + (_OF_FULL - 1) * full


def _cuts(text: str, line: Span, *, other: bool) -> Iterator[int]:
    yield from (found.end() for found in _SENTENCE_END.finditer(text, *line))
    if other:
        for found in _LATIN_RUN.finditer(text, *line):
            yield from found.span()


def _is_foreign(part: str, asked: str, *, alone: bool) -> bool:
    """Whether a part is in another language; of several in one line only beyond doubt."""
    if alone:
        return not detect(part, asked=asked)[1]
    return surely_foreign(part, asked=asked)
