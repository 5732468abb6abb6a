"""What `summary` and `generation` have in common: facts kept, nothing invented, length.

Only what can be told by rule is judged here; style and sense are left to a judge
or to people. A number of the answer that stands nowhere in the source is called
invented: numbers are what a reader of a summary acts upon, and the only part of a
free text that can be traced without a model.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from pydantic import Field

from befit.core.record import Json, Record
from befit.core.sample import Sample
from befit.scorers.checks import Check
from befit.scorers.evidence import Span, quoted
from befit.scorers.normalise import folded, folded_with_places, word_pattern

MAX_OUTPUT = 200_000
_NUMBER = re.compile(r"\d{1,3}(?:[.,\u00a0\u202f'’ ]\d{3}(?!\d))+(?:[.,]\d+)?|\d+(?:[.,]\d+)?")
_DATE = re.compile(
    r"(?<![\d.,])(?:\d{1,2}([./-]) ?\d{1,2}\1 ?(?:\d{4}|\d{2})|\d{4}-\d{2}-\d{2})(?!\d)"
)
_MONTHS = 12
_SCALES = {
    **dict.fromkeys(("thousand", "tausend", "k", "mille", "mil", "mila"), 3),
    **dict.fromkeys(("million", "millions", "mio", "mio.", "millionen", "millones", "millón"), 6),
    **dict.fromkeys(("milioni", "mn"), 6),
    **dict.fromkeys(("billion", "billions", "bn", "milliarde", "milliarden", "mrd", "mrd."), 9),
    **dict.fromkeys(("milliard", "milliards"), 9),
    **dict.fromkeys("万萬", 4),
    **dict.fromkeys("億亿", 8),
}
"""Word behind a number -> the power of ten by which it multiplies."""
_SCALE = re.compile(
    r"\s?(?:("
    + "|".join(sorted(map(re.escape, _SCALES), key=len, reverse=True))
    + r"))(?![^\W\d_\u3000-\uffff])",
    re.IGNORECASE,
)
_SMALL = 10
"""Counts up to here ("three reasons", "2 points") are words of the writer, not facts."""
_CLOSE = 0.75
_BULLET = re.compile(r"(?m)^\s*(?:#+\s*)?\d{1,3}[.):]\s")
_UNSPACED = re.compile("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\u0e00-\u0e7f]")


class Lengths(Record):
    """How long the answer may be. A character of Chinese, Japanese or Thai counts as a word."""

    words: int | None = Field(default=None, gt=0, description="At most so many words.")
    at_least: int | None = Field(default=None, ge=0, description="At least so many words.")
    share: float | None = Field(
        default=None, gt=0, description="At most this share of the source's words."
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """A fact that has to be kept, in any of its forms."""

    id: str
    texts: tuple[str, ...]


def facts_of(entries: Json) -> tuple[Fact, ...]:
    """Read `["a", {id, text: "b" | ["b", "c"]}]`."""
    facts: list[Fact] = []
    for place, entry in enumerate(entries if isinstance(entries, list | tuple) else ()):
        given = entry if isinstance(entry, Mapping) else {"text": entry}
        texts = texts_of(given.get("text"))
        if texts:
            facts.append(Fact(id=str(given.get("id", f"fact {place + 1}"))[:80], texts=texts))
    return tuple(facts)


def target_problem(target: Json, known: Sequence[str]) -> str | None:
    """Return which key of a target is a slip of the pen, None where none is.

    Keys of other scorers of the same sample may stand beside those that are `known`.
    """
    for key in target if isinstance(target, Mapping) else ():
        close = difflib.get_close_matches(str(key), known, n=1, cutoff=_CLOSE)
        if key not in known and close:
            return f"unknown key '{str(key)[:80]}': did you mean '{close[0]}'?"
    return None


def texts_of(value: Json) -> tuple[str, ...]:
    """Return a text or a list of texts as a tuple, without blank ones."""
    given = value if isinstance(value, list | tuple) else [value]
    return tuple(str(text) for text in given if text is not None and str(text).strip())


def source_of(sample: Sample) -> str:
    """Return the text the answer is about: the variable `source`, else all that is shown."""
    if "source" in sample.vars:
        return sample.vars["source"]
    parts = [sample.input] if isinstance(sample.input, str) else []
    if isinstance(sample.input, tuple):
        parts = [message.text for message in sample.input]
    parts += [turn.user for turn in sample.turns]
    return "\n".join([*parts, *sample.vars.values()])


def found_in(texts: Sequence[str], text: str) -> Span | None:
    """Return where one of `texts` stands in `text` as whole words."""
    shown = folded_with_places(text)
    for wanted in texts:
        pattern = word_pattern(wanted)
        match = pattern.search(shown.text) if pattern else None
        if match:
            return shown.span(*match.span())
    return None


def kept(facts: Sequence[Fact], output: str) -> list[Check]:
    """Return `facts_kept` with each fact as a part named `fact`."""
    spans = [found_in(fact.texts, output) for fact in facts]
    lost = [fact.id for fact, span in zip(facts, spans, strict=True) if span is None]
    whole = Check(
        name="facts_kept",
        value=(len(facts) - len(lost)) / len(facts),
        label="right" if not lost else "missed",
        rule=f"{len(facts) - len(lost)} of {len(facts)} facts as whole words",
        explanation=f"missed: {', '.join(lost[:10])}" if lost else None,
    )
    parts = [
        Check(
            name="fact",
            value=float(span is not None),
            label="found" if span is not None else "missed",
            rule="one of its forms as whole words",
            part=fact.id,
            span=span,
        )
        for fact, span in zip(facts, spans, strict=True)
    ]
    return [whole, *parts]


def none_invented(
    absent: Sequence[str], output: str, *, source: str | None, derived: Sequence[str] = ()
) -> Check:
    """Return whether nothing was claimed that is not there.

    Args:
        absent: what must not be said.
        output: the answer.
        source: the numbers of the answer must stand in it; None: they are not looked at.
        derived: what may be said besides, for instance totals.
    """
    claimed = [text for text in absent if found_in((text,), output) is not None]
    foreign, span = ([], None) if source is None else _foreign_numbers(output, source, derived)
    wrong = [quoted(text) for text in (*claimed, *foreign)]
    label = "invented" if claimed else "invented_number" if foreign else "right"
    return Check(
        name="none_invented",
        value=float(not wrong),
        label=label,
        rule="nothing that is not there"
        + ("" if source is None else "; every number stands in the source"),
        span=span,
        explanation=f"not in the source: {', '.join(wrong[:5])}" if wrong else None,
    )


def _foreign_numbers(
    output: str, source: str, derived: Sequence[str]
) -> tuple[list[str], Span | None]:
    bare: set[str] = set()
    written: set[str] = set()
    worth: set[str] = set()
    for text in (source, *derived):
        for found in _numbers_in(_DATE.sub(_apart, text)):
            bare |= set() if found.scale else found.values
            written |= found.values
            worth |= found.multiplied
    output = _BULLET.sub(lambda mark: " " * len(mark.group()), output)
    foreign: list[str] = []
    first: Span | None = None
    for found in _numbers_in(_DATE.sub(_without_month, output)):
        # 3.5 million stands where 3,500,000 does, or a 3.5 of a table of millions; and 3.5 of
        # such a table stands where 3.5 million does. 1.5 billion is not 1.5 million.
        if found.multiplied & worth or found.values & (bare if found.scale else written):
            continue
        if found.text.isdigit() and int(found.text[:20]) <= _SMALL and not found.scale:
            continue
        foreign.append(found.text)
        first = first or found.span
    return foreign, first


@dataclass(frozen=True, slots=True, kw_only=True)
class _Number:
    text: str
    span: Span
    values: set[str]
    """What it may be, without the word behind it."""
    scale: int

    @property
    def multiplied(self) -> set[str]:
        return {_plain(f"{value}e{self.scale}") for value in self.values}


def _numbers_in(text: str) -> Iterator[_Number]:
    for found in _NUMBER.finditer(text):
        word = _SCALE.match(text, found.end())
        scale = 0 if word is None else _SCALES.get(word.group(1).lower(), 0)
        yield _Number(
            text=found.group(), span=found.span(), values=_readings(found.group()), scale=scale
        )


def _apart(date: re.Match[str]) -> str:
    """Return a date with its numbers apart, each at its place: `12.5.2026` holds no 12.5."""
    return re.sub(r"\D", "/", date.group())


def _without_month(date: re.Match[str]) -> str:
    """Return a date without what may be its month, which the source may have as a word."""

    def kept_or_blank(part: re.Match[str]) -> str:
        small = len(part.group()) <= len(str(_MONTHS)) and int(part.group()) <= _MONTHS
        return " " * len(part.group()) if small else part.group()

    return re.sub(r"\d+", kept_or_blank, _apart(date))


def _readings(text: str) -> set[str]:
    """Return the values a written number may have: `1.200` is 1.2 here and 1200 there."""
    text = text[:60].translate(_SPACES)
    found = {_plain(text.replace(".", "").replace(",", ""))} if _grouped(text) else set()
    last = max(text.rfind("."), text.rfind(","))
    if last >= 0:
        whole = text[:last].replace(".", "").replace(",", "")
        found.add(_plain(f"{whole}.{text[last + 1 :]}"))
    else:
        found.add(_plain(text))
    return found


_SPACES = {ord(char): None for char in "\u00a0\u202f'’ "}
_GROUPED = re.compile(r"\d{1,3}(?:[.,]\d{3})+")


def _grouped(text: str) -> bool:
    return _GROUPED.fullmatch(text) is not None


def _plain(text: str) -> str:
    return format(Decimal(text).normalize(), "f")


def length(limits: Lengths, output: str, source: str) -> Check:
    """Return `length_ok`."""
    n = words_in(output)
    most = limits.words
    if limits.share is not None:
        allowed = int(limits.share * words_in(source))
        most = allowed if most is None else min(most, allowed)
    label = "right"
    if most is not None and n > most:
        label = "too_long"
    elif limits.at_least is not None and n < limits.at_least:
        label = "too_short"
    bounds = [] if limits.at_least is None else [f"at least {limits.at_least}"]
    bounds += [] if most is None else [f"at most {most}"]
    return Check(
        name="length_ok",
        value=float(label == "right"),
        label=label,
        rule=f"{' and '.join(bounds)} words",
        answer=n,
        explanation=None if label == "right" else f"{n} words",
    )


def words_in(text: str) -> int:
    """Return the number of words; scripts without spaces count by character."""
    plain = folded(text)
    unspaced = len(_UNSPACED.findall(plain))
    return unspaced + len(re.findall(r"[^\W_]+(?:['-][^\W_]+)*", _UNSPACED.sub(" ", plain)))


def whole(name: str, checks: Sequence[Check]) -> Check:
    """Return the primary finding: 1 where every check of the whole answer is."""
    own = [check for check in checks if check.part is None]
    wrong = next((check for check in own if check.value is not None and check.value < 1.0), None)
    blank = next((check for check in own if check.value is None), None)
    first = wrong or blank
    return Check(
        name=name,
        value=0.0 if wrong else None if blank or not own else 1.0,
        label=first.label if first else "right" if own else "no_target",
        rule=", ".join(check.name for check in own) or "the target asks nothing",
        explanation=first.explanation if first else None,
    )
