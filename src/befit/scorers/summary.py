"""A summary: key facts kept, none invented, as long as asked. The rest is a judge's or people's.

    target:
      facts: [{id: date, text: ["12 May", "May 12"]}, "Vienna"]
      absent: ["a penalty"]         # must not be said
      derived: ["47"]               # numbers that may be said though the source has them not
      length: {words: 60}

The source is the sample's variable `source`, else all that the candidate is
shown. Every number of the summary has to stand in it (counts up to ten and
numbers of a list aside) unless `numbers: false`. A list alone is a list of facts.
Where no length is asked for, the summary of a source of 50 words and more is shorter
than it: a copy keeps every fact and is none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pydantic import Field, ValidationError

from befit.core.record import Json, Record
from befit.core.sample import Sample
from befit.core.score import Score
from befit.core.trial import Trial
from befit.scorers.checks import Check
from befit.scorers.evidence import version_of
from befit.scorers.written import (
    MAX_OUTPUT,
    Lengths,
    facts_of,
    kept,
    length,
    none_invented,
    source_of,
    target_problem,
    texts_of,
    whole,
    words_in,
)

NAME = "summary"
CODE_VERSION = "2"
_KEYS = ("facts", "absent", "derived", "length")
_COPY = 50
"""Words of a source from which on a text as long as it is no summary of it."""


class SummaryOptions(Record):
    """What holds for every summary of the scenario."""

    length: Lengths = Field(default=Lengths(), description="{words, at_least, share}.")
    numbers: bool = Field(
        default=True, description="Every number has to stand in the source; false: not looked at."
    )


class Summary:
    """A summary against the facts of its source."""

    name = NAME
    primary = NAME
    names = (NAME, "facts_kept", "none_invented", "length_ok")
    needs_target = True
    Options = SummaryOptions

    def __init__(self, options: SummaryOptions) -> None:
        self.options = options
        self.version = version_of(CODE_VERSION, options)

    def target_problem(self, target: Json) -> str | None:
        """Return why no summary can be judged by `target`, None where one can."""
        return target_problem(target, _KEYS)

    def score(self, sample: Sample, trial: Trial) -> Sequence[Score]:
        """Return `summary` and its sides, each fact as a part."""
        return [check.score(NAME, self.version) for check in self._checks(sample, trial)]

    def _checks(self, sample: Sample, trial: Trial) -> list[Check]:
        target = sample.target if isinstance(sample.target, Mapping) else {"facts": sample.target}
        facts = facts_of(target.get("facts"))
        slip = self.target_problem(sample.target)
        if slip is not None:
            return [Check(name=NAME, value=None, label="bad_target", rule=slip)]
        if not facts:
            why = "the target names no facts"
            return [Check(name=NAME, value=None, label="no_target", rule=why)]
        try:
            limits = Lengths.model_validate(target.get("length") or self.options.length)
        except ValidationError:
            why = "'length' of the target is {words, at_least, share}"
            return [Check(name=NAME, value=None, label="bad_target", rule=why)]
        output = trial.output[:MAX_OUTPUT]
        if not output.strip():
            return [Check(name=NAME, value=0.0, label="no_answer", rule="an answer")]
        source = source_of(sample)
        said = texts_of(target.get("derived"))
        forms = [text for fact in facts for text in fact.texts]
        checks = kept(facts, output)
        absent = texts_of(target.get("absent"))
        if absent or self.options.numbers:
            against = source if self.options.numbers else None
            checks.append(none_invented(absent, output, source=against, derived=(*said, *forms)))
        if limits != Lengths():
            checks.append(length(limits, output, source))
        elif words_in(source) >= _COPY and words_in(output) >= words_in(source):
            shorter = Lengths(words=words_in(source) - 1)
            checks.append(length(shorter, output, source))
        return [whole(NAME, checks), *checks]
