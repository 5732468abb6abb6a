"""Writing to order (rewrite, draft, reply): what has to be in it, what not, what stays untouched.

    target:
      facts: ["12 May", {id: name, text: ["Ms Berger", "Frau Berger"]}]
      absent: ["guarantee"]
      untouched: ["Clause 4: The seller is liable for ..."]   # word for word, in this order
      changed: ["We regret to inform you"]                    # must be gone
      constraints: [{kind: words, at_most: 120}]              # as of the scorer 'constraints'
      length: {at_least: 30}

All of it can be told by rule; whether the text is good is left to a judge or to
people. `numbers: true` asks that every number stands in what the candidate was
shown, for rewrites that may add nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pydantic import Field, ValidationError

from befit.core.record import Json, Record
from befit.core.sample import Sample
from befit.core.score import Score
from befit.core.trial import Trial
from befit.scorers.checks import Check
from befit.scorers.constraints import Constraints
from befit.scorers.evidence import quoted, version_of
from befit.scorers.normalise import squeezed
from befit.scorers.written import (
    MAX_OUTPUT,
    Lengths,
    facts_of,
    found_in,
    kept,
    length,
    none_invented,
    source_of,
    target_problem,
    texts_of,
    whole,
)

NAME = "generation"
CODE_VERSION = "2"
_KEYS = ("facts", "absent", "derived", "untouched", "changed", "constraints", "length")


class GenerationOptions(Record):
    """What holds for every text of the scenario; the sample's target adds its own."""

    constraints: tuple[dict[str, Json], ...] = Field(
        default=(), description="Instructions, as of the scorer 'constraints'."
    )
    length: Lengths = Field(default=Lengths(), description="{words, at_least, share}.")
    numbers: bool = Field(
        default=False, description="True: every number has to stand in what was shown."
    )


class Generation:
    """A written text against what it was to hold."""

    name = NAME
    primary = NAME
    names = (
        NAME,
        "facts_kept",
        "none_invented",
        "untouched",
        "changed",
        "constraints_held",
        "length_ok",
    )
    needs_target = True
    Options = GenerationOptions

    def __init__(self, options: GenerationOptions) -> None:
        if options.constraints:
            Constraints.Options(instructions=options.constraints)
        self.options = options
        self.version = f"{version_of(CODE_VERSION, options)}.{Constraints.version}"

    def target_problem(self, target: Json) -> str | None:
        """Return why no text can be judged by `target`, None where one can."""
        return target_problem(target, _KEYS)

    def score(self, sample: Sample, trial: Trial) -> Sequence[Score]:
        """Return `generation` and its sides, facts and instructions as parts."""
        if not isinstance(sample.target, Mapping):
            what = "the target is a mapping of what the text has to hold"
            checks = [Check(name=NAME, value=None, label="no_target", rule=what)]
        elif (slip := self.target_problem(sample.target)) is not None:
            checks = [Check(name=NAME, value=None, label="bad_target", rule=slip)]
        elif not trial.output.strip():
            checks = [Check(name=NAME, value=0.0, label="no_answer", rule="an answer")]
        else:
            try:
                found = self._checks(sample.target, sample, trial)
                checks = [whole(NAME, found), *found]
            except ValidationError as error:
                why = "; ".join(str(e["msg"]) for e in error.errors()[:3])
                rule = "the target can be read"
                checks = [
                    Check(name=NAME, value=None, label="bad_target", rule=rule, explanation=why)
                ]
        return [check.score(NAME, self.version) for check in checks]

    def _checks(self, target: Mapping[str, Json], sample: Sample, trial: Trial) -> list[Check]:
        output, source = trial.output[:MAX_OUTPUT], source_of(sample)
        checks: list[Check] = []
        facts = facts_of(target.get("facts"))
        if facts:
            checks += kept(facts, output)
        absent = texts_of(target.get("absent"))
        if absent or self.options.numbers:
            forms = [text for fact in facts for text in fact.texts]
            said = (*texts_of(target.get("derived")), *forms)
            against = source if self.options.numbers else None
            checks.append(none_invented(absent, output, source=against, derived=said))
        stays = texts_of(target.get("untouched"))
        if stays:
            checks.append(_untouched(stays, output))
        gone = texts_of(target.get("changed"))
        if gone:
            checks.append(_changed(gone, output))
        checks += self._instructions(target, sample, trial)
        limits = Lengths.model_validate(target.get("length") or self.options.length)
        if limits != Lengths():
            checks.append(length(limits, output, source))
        return checks

    def _instructions(
        self, target: Mapping[str, Json], sample: Sample, trial: Trial
    ) -> list[Check]:
        own = target.get("constraints") or ()
        asked = (*self.options.constraints, *own)
        if not asked:
            return []
        judge = Constraints(Constraints.Options.model_validate({"instructions": asked}))
        checks: list[Check] = []
        for score in judge.score(sample, trial):
            if score.name not in {"constraints", "instruction"}:
                continue  # loosely followed is not followed here
            name = "constraints_held" if score.part is None else "instruction"
            rule = score.rule or "instructions"
            checks.append(
                Check(
                    name=name,
                    value=score.value,
                    label="not_followed"
                    if score.part is None and not score.value
                    else "right"
                    if score.value
                    else str(score.label),
                    rule=rule,
                    part=score.part,
                    span=score.span,
                    explanation=score.explanation,
                )
            )
        return checks


def _untouched(passages: Sequence[str], output: str) -> Check:
    """Word for word and in order; only line breaks and runs of spaces may differ."""
    text, place = squeezed(output), 0
    touched: list[str] = []
    for passage in passages:
        at = text.find(squeezed(passage), place)
        if at < 0:
            touched.append(passage)
        else:
            place = at + len(squeezed(passage))
    moved = [one for one in touched if squeezed(one) in text]
    return Check(
        name="untouched",
        value=(len(passages) - len(touched)) / len(passages),
        label="right" if not touched else "moved" if len(moved) == len(touched) else "touched",
        rule="word for word, in their order",
        explanation=f"changed or gone: {', '.join(quoted(one) for one in touched[:3])}"
        if touched
        else None,
    )


def _changed(passages: Sequence[str], output: str) -> Check:
    left = [passage for passage in passages if found_in((passage,), output) is not None]
    return Check(
        name="changed",
        value=(len(passages) - len(left)) / len(passages),
        label="right" if not left else "not_changed",
        rule="gone from the text",
        explanation=f"still there: {', '.join(quoted(one) for one in left[:3])}" if left else None,
    )
