"""Which of the required facts does an answer hold, from where in the text, and rightly cited?

    target:
      facts:
        - {id: price, text: ["1,200 EUR", "EUR 1200"], position: 0.1, source: doc-2}
        - "the contract ends in May"
      absent: ["a penalty of 5 %"]       # must not be claimed
      passages: {doc-2: "...", doc-3: "..."}   # what may be cited

`recall` is the share of the sample's facts that were found (its mean over samples
is the macro recall; the parts named `fact` give the micro recall), whatever else the
answer claims or cites: that has metrics of its own. `recalled`, the primary score, is 1
where all of it holds: every fact found, none invented, cited as is due. A list alone is
a list of facts. A prompt given back holds every fact and has found none: an answer that is
mostly quoted, and of more than 50 words a fact or nearly a whole message, is judged by its
own words alone and `parroted` where these lack a fact. `position` is 0..1 in the text, or
start, middle, end.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pydantic import Field

from befit.core.record import Json, Record
from befit.core.sample import Sample
from befit.core.score import Score
from befit.core.trial import Trial
from befit.scorers.checks import Check
from befit.scorers.evidence import Span, quoted, version_of
from befit.scorers.normalise import folded, folded_with_places, word_pattern
from befit.scorers.patterns import Pattern
from befit.scorers.quoting import PARROTED, own_words, shown_to

NAME = "recall"
PRIMARY = "recalled"
CODE_VERSION = "3"
POSITIONS = ("start", "middle", "end")
LENGTHS = ((2_000, "recall_2k"), (8_000, "recall_8k"), (32_000, "recall_32k"))
LONGER = "recall_longer"
_CHARS_PER_TOKEN = 4
_CITED = ("citation_precision", "citation_recall")
_SENTENCE = re.compile(r"(?<=[.!?。！？])\s+|\n+")


class RecallOptions(Record):
    """How citations are written and whether they are due."""

    citation: str = Field(
        default=r"\[([\w.:/#-]+)\]",
        description="Regular expression with one group: the id of the cited passage.",
    )
    cite: bool = Field(
        default=False, description="True: every fact with a source must be cited, and rightly."
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Fact:
    id: str
    texts: tuple[str, ...]
    position: str | None
    source: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Target:
    facts: tuple[_Fact, ...]
    absent: tuple[str, ...]
    passages: dict[str, str]


class Recall:
    """Key-information recall, with citations."""

    name = NAME
    primary = PRIMARY
    names = (
        PRIMARY,
        NAME,
        "recall_start",
        "recall_middle",
        "recall_end",
        *(name for _, name in LENGTHS),
        LONGER,
        "none_invented",
        "citation_precision",
        "citation_recall",
    )
    needs_target = True
    Options = RecallOptions

    def __init__(self, options: RecallOptions) -> None:
        self.options = options
        self.version = version_of(CODE_VERSION, options)
        self._citation = Pattern(options.citation)

    def target_problem(self, target: Json) -> str | None:
        """Return why `target` cannot be judged by, None where it can."""
        read = _read(target)
        return None if read is not None and read.facts else "it names no 'facts'"

    def score(self, sample: Sample, trial: Trial) -> Sequence[Score]:
        """Return `recalled`, `recall` (all, by position, by length), citations, and each fact."""
        target = _read(sample.target)
        if target is None or not target.facts:
            bad = Check(
                name=PRIMARY, value=None, label="no_target", rule="the target names no facts"
            )
            return [bad.score(NAME, self.version)]
        output = trial.output[:200_000]
        own = own_words(output, shown_to(trial), pieces=pieces_due(target.facts))
        output = output if own is None else own
        spans = [_found(fact.texts, output) for fact in target.facts]
        checks = [
            _whole(target.facts, spans, parroted=own is not None),
            *_positions(target.facts, spans),
        ]
        checks.append(checks[0]._replace(name=_length(sample), answer=None))
        if target.absent:
            checks.append(_invented(target.absent, output))
        if target.passages:
            checks += self._cited(target, output, spans)
        checks += [_part(fact, span) for fact, span in zip(target.facts, spans, strict=True)]
        return [check.score(NAME, self.version) for check in (self._all_of(checks), *checks)]

    def _all_of(self, checks: Sequence[Check]) -> Check:
        """Return the primary score: recall, but 0 where it is whole and something else is amiss."""
        held = checks[0]._replace(name=PRIMARY)
        if self.options.cite and any(c.name in _CITED and c.value != 1.0 for c in checks):
            held = held._replace(value=_below(held.value), label="not_cited")
        invented = next((c for c in checks if c.name == "none_invented" and c.value == 0.0), None)
        if invented is not None:
            why = invented.explanation
            held = held._replace(value=_below(held.value), label="invented", explanation=why)
        return held

    def _cited(self, target: _Target, output: str, spans: Sequence[Span | None]) -> list[Check]:
        passages = {folded(name): text for name, text in target.passages.items()}
        good: set[str] = set()
        right = wrong = 0
        false: list[str] = []
        for sentence in _SENTENCE.split(output):
            held = [fact for fact in target.facts if _found(fact.texts, sentence) is not None]
            for match in self._citation.finditer(sentence):
                cited = match.group(1) if self._citation.groups else match.group()
                passage = passages.get(folded(cited or ""))
                if passage is not None and not held:
                    continue  # no known fact in the sentence: nothing to check it by
                bears = [f.id for f in held if passage is not None and _found(f.texts, passage)]
                right += bool(bears)
                wrong += not bears
                good.update(bears)
                if not bears:
                    false.append(cited or "")
        due = [f for f, s in zip(target.facts, spans, strict=True) if s is not None and f.source]
        checks: list[Check] = []
        if right + wrong:
            checks.append(
                Check(
                    name="citation_precision",
                    value=right / (right + wrong),
                    label="right" if not wrong else "false_citation",
                    rule="the cited passage holds a fact of its sentence",
                    explanation=f"false: {', '.join(quoted(c) for c in false[:5])}"
                    if false
                    else None,
                )
            )
        if due:
            named = [fact for fact in due if fact.id in good]
            checks.append(
                Check(
                    name="citation_recall",
                    value=len(named) / len(due),
                    label="right" if len(named) == len(due) else "not_cited",
                    rule="facts found that are cited from a passage that holds them",
                )
            )
        return checks


def _below(value: float | None) -> float | None:
    return 0.0 if value == 1.0 else value


def _read(target: Json) -> _Target | None:
    if isinstance(target, str):
        target = [target]
    if isinstance(target, list | tuple):
        target = {"facts": target}
    if not isinstance(target, Mapping) or not isinstance(target.get("facts"), list | tuple):
        return None
    facts = [_fact(entry, place) for place, entry in enumerate(target["facts"])]
    passages = target.get("passages")
    return _Target(
        facts=tuple(fact for fact in facts if fact is not None),
        absent=tuple(str(text) for text in target.get("absent") or ()),
        passages={str(k): str(v) for k, v in passages.items()}
        if isinstance(passages, Mapping)
        else {},
    )


def _fact(entry: Json, place: int) -> _Fact | None:
    if not isinstance(entry, Mapping):
        entry = {"text": entry}
    texts = entry.get("text")
    given = texts if isinstance(texts, list | tuple) else [texts]
    spoken = tuple(str(text) for text in given if text is not None and str(text).strip())
    if not spoken:
        return None
    return _Fact(
        id=str(entry.get("id", f"fact {place + 1}"))[:80],
        texts=spoken,
        position=_position(entry.get("position")),
        source=None if entry.get("source") is None else str(entry["source"]),
    )


def _position(value: Json) -> str | None:
    if isinstance(value, str):
        return value if value in POSITIONS else None
    if isinstance(value, int | float) and not isinstance(value, bool):
        return POSITIONS[min(2, max(0, int(value * 3)))]
    return None


def _found(texts: Sequence[str], text: str) -> Span | None:
    shown = folded_with_places(text)
    for wanted in texts:
        pattern = word_pattern(wanted)
        match = pattern.search(shown.text) if pattern else None
        if match:
            return shown.span(*match.span())
    return None


def pieces_due(facts: Sequence[object]) -> int:
    """Return how many quotations answer a question for `facts`: one each, and one for all."""
    return len(facts) + 1


def _whole(facts: Sequence[_Fact], spans: Sequence[Span | None], *, parroted: bool) -> Check:
    lost = [fact.id for fact, span in zip(facts, spans, strict=True) if span is None]
    return Check(
        name=NAME,
        value=(len(facts) - len(lost)) / len(facts),
        label="right" if not lost else PARROTED if parroted else "missed",
        rule=f"{len(facts) - len(lost)} of {len(facts)} facts as whole words",
        answer=[fact.id for fact, span in zip(facts, spans, strict=True) if span is not None],
        explanation=f"missed: {', '.join(lost[:10])}" if lost else None,
    )


def _positions(facts: Sequence[_Fact], spans: Sequence[Span | None]) -> list[Check]:
    checks: list[Check] = []
    for position in POSITIONS:
        own = [
            span is not None
            for fact, span in zip(facts, spans, strict=True)
            if fact.position == position
        ]
        if own:
            share = sum(own) / len(own)
            label = "right" if share == 1.0 else "missed"
            rule = f"{sum(own)} of {len(own)} facts from the {position}"
            checks.append(Check(name=f"recall_{position}", value=share, label=label, rule=rule))
    return checks


def _length(sample: Sample) -> str:
    shown = sample.input if isinstance(sample.input, str) else ""
    if isinstance(sample.input, tuple):
        shown = "".join(message.text for message in sample.input)
    size = len(shown) + sum(map(len, sample.vars.values())) + sum(len(t.user) for t in sample.turns)
    tokens = size / _CHARS_PER_TOKEN
    return next((name for limit, name in LENGTHS if tokens <= limit), LONGER)


def _invented(absent: Sequence[str], output: str) -> Check:
    claimed = [text for text in absent if _found((text,), output) is not None]
    return Check(
        name="none_invented",
        value=float(not claimed),
        label="right" if not claimed else "invented",
        rule="none of the facts that are not there",
        explanation=f"claimed: {', '.join(quoted(text) for text in claimed[:3])}"
        if claimed
        else None,
    )


def _part(fact: _Fact, span: Span | None) -> Check:
    return Check(
        name="fact",
        value=float(span is not None),
        label="found" if span is not None else "missed",
        rule="one of its forms as whole words",
        part=fact.id if fact.position is None else f"{fact.id} ({fact.position})",
        span=span,
    )
