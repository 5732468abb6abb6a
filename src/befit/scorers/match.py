"""Is the answer the expected one? Exact, normalised, contained, numeric, by pattern, by letter.

The extracted answer, its place and the rule are kept for passes too: a
substring test would call "2025-01-01" right for "20", and only the place shows it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from befit.core.record import Json
from befit.core.sample import Sample
from befit.core.score import Score
from befit.core.trial import Trial
from befit.scorers.answer import locate
from befit.scorers.choice import read_choice
from befit.scorers.evidence import Span, quoted, storable, version_of
from befit.scorers.match_numeric import judge_numeric
from befit.scorers.match_options import MatchOptions
from befit.scorers.match_verdict import Verdict
from befit.scorers.normalise import folded, folded_with_places, normalised, word_pattern
from befit.scorers.patterns import compiled

NAME = "match"
CODE_VERSION = "2"


class _Looked(NamedTuple):
    """The part of the output that is compared."""

    text: str
    span: Span
    rule: str


class Match:
    """The answer against the sample's target (a value, or a list of accepted values)."""

    name = NAME
    primary = NAME
    names = (NAME,)
    Options = MatchOptions

    def __init__(self, options: MatchOptions) -> None:
        self.options = options
        self.version = version_of(CODE_VERSION, options)
        self.needs_target = options.accepted is None and options.pattern is None
        self._judge = {
            "exact": self._exact,
            "normalised": self._normalised,
            "one_of": self._normalised,
            "contains": self._contains,
            "regex": self._regex,
            "choice": self._choice,
            "numeric": self._numeric,
        }[options.mode]

    def score(self, sample: Sample, trial: Trial) -> Sequence[Score]:
        """Return one score `match`: 1, 0, or None where the sample has no target."""
        targets = self._targets(sample.target)
        if self.needs_target and not targets:
            return (self._score(Verdict(value=None, label="no_target", rule="no target given")),)
        output = trial.output
        if not output or output.isspace():
            return (self._score(Verdict(value=0.0, label="no_answer", rule="the output is empty")),)
        return (self._score(self._judge(output, targets)),)

    def _targets(self, target: Json) -> Sequence[Json]:
        if self.options.accepted is not None:
            return self.options.accepted
        if target is None:
            return ()
        return target if isinstance(target, list | tuple) else (target,)

    def _score(self, verdict: Verdict) -> Score:
        return Score(
            scorer=NAME,
            version=self.version,
            name=NAME,
            value=verdict.value,
            label=verdict.label,
            answer=verdict.answer,
            span=verdict.span,
            rule=verdict.rule,
            explanation=verdict.explanation,
        )

    def _look(self, output: str) -> _Looked | None:
        where = self.options.where
        if where in {"auto", "whole"}:
            return _Looked(output, (0, len(output)), "the whole output")
        region = locate(output, where, self.options.after)
        if region is None:
            return None
        start, end = region.span
        return _Looked(text=output[start:end], span=region.span, rule=region.rule)

    def _place_missing(self) -> Verdict:
        where = (
            f"nothing after '{self.options.after}'"
            if self.options.after
            else (f"no {self.options.where}")
        )
        return Verdict(value=0.0, label="wrong_format", rule=where)

    def _exact(self, output: str, targets: Sequence[Json]) -> Verdict:
        looked = self._look(output)
        if looked is None:
            return self._place_missing()
        rule = f"{looked.rule} equals the target, character by character"
        if any(looked.text == as_text(target) for target in targets):
            return Verdict.right(storable(looked.text), looked.span, rule)
        form = normalised(looked.text)
        if any(form == _target_form(as_text(target)) for target in targets):
            return Verdict.wrong(
                storable(looked.text), looked.span, rule, targets, label="wrong_format"
            )
        return Verdict.wrong(storable(looked.text), looked.span, rule, targets)

    def _normalised(self, output: str, targets: Sequence[Json]) -> Verdict:
        looked = self._look(output)
        if looked is None:
            return self._place_missing()
        form = normalised(looked.text)
        many = f"one of {len(targets)} accepted answers" if len(targets) > 1 else "the target"
        rule = f"{looked.rule} equals {many} after normalising"
        if form in [_target_form(as_text(target)) for target in targets]:
            return Verdict.right(storable(form), looked.span, rule)
        return Verdict.wrong(storable(form), looked.span, rule, targets)

    def _contains(self, output: str, targets: Sequence[Json]) -> Verdict:
        looked = self._look(output)
        if looked is None:
            return self._place_missing()
        rule = f"{looked.rule} contains the target as whole words"
        patterns = [_words(as_text(target)) for target in targets]
        plain = folded(looked.text)
        if not any(pattern.search(plain) for pattern in patterns if pattern):
            return Verdict.wrong(None, None, rule, targets)
        haystack = folded_with_places(looked.text)  # slow beyond ASCII, so only for a hit
        for target, pattern in zip(targets, patterns, strict=True):
            found = pattern.search(haystack.text) if pattern else None
            if found:
                start, end = haystack.span(*found.span())
                span = (looked.span[0] + start, looked.span[0] + end)
                return Verdict.right(normalised(as_text(target)), span, rule)
        return Verdict.wrong(None, None, rule, targets)

    def _regex(self, output: str, targets: Sequence[Json]) -> Verdict:
        looked = self._look(output)
        if looked is None:
            return self._place_missing()
        fixed = self.options.pattern
        for source in [fixed] if fixed is not None else [as_text(target) for target in targets]:
            pattern = compiled(source)
            if pattern is None:
                return Verdict(
                    value=None,
                    label="bad_target",
                    rule="the target is a regular expression",
                    explanation=f"{quoted(source)} is no regular expression",
                )
            found = pattern.search(looked.text)
            if found:
                start, end = (looked.span[0] + place for place in found.span())
                return Verdict.right(
                    storable(found.group()), (start, end), f"{looked.rule} matches {quoted(source)}"
                )
        return Verdict.wrong(None, None, f"{looked.rule} matches the pattern", targets)

    def _choice(self, output: str, targets: Sequence[Json]) -> Verdict:
        looked = self._look(output)
        if looked is None:
            return self._place_missing()
        choice = read_choice(looked.text, self.options.letters)
        if choice.letter is None or choice.span is None:
            label = "ambiguous" if choice.ambiguous else "no_answer"
            return Verdict(value=0.0, label=label, rule=choice.rule)
        span = (looked.span[0] + choice.span[0], looked.span[0] + choice.span[1])
        wanted = {as_text(target).strip("()[]. ").upper() for target in targets}
        if choice.letter in wanted:
            return Verdict.right(choice.letter, span, choice.rule)
        return Verdict.wrong(choice.letter, span, choice.rule, targets)

    def _numeric(self, output: str, targets: Sequence[Json]) -> Verdict:
        return judge_numeric(output, targets, self.options)


def as_text(target: Json) -> str:
    """Return a target as text: JSON's words for booleans, plain text for the rest."""
    if isinstance(target, bool):
        return "true" if target else "false"
    return target if isinstance(target, str) else str(target)


@lru_cache(maxsize=4096)
def _target_form(text: str) -> str:
    return normalised(text)


@lru_cache(maxsize=1024)
def _words(text: str) -> re.Pattern[str] | None:
    return word_pattern(text)
