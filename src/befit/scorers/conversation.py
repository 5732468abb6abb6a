"""Does a conversation stay sound: no answer said twice over, no answer against an earlier one?

What single turns must hold is checked by their own checks and constraints. Here
the answers are held against each other: an answer that repeats an earlier one to
another question, and pairs of turns that ask the same and must be answered alike. Who
is asked the same again may say the same again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pydantic import Field, field_validator
from rapidfuzz import fuzz

from befit.core.record import Json, Record
from befit.core.sample import Sample
from befit.core.score import Score
from befit.core.trial import Trial
from befit.scorers.checks import Check
from befit.scorers.evidence import version_of
from befit.scorers.match import Match
from befit.scorers.match_options import MatchOptions
from befit.scorers.normalise import normalised

NAME = "conversation"
CODE_VERSION = "3"
_COMPARED = 4_000
"""Characters of an answer that are compared."""


class ConversationOptions(Record):
    """What counts as repeating, and which turns must agree."""

    alike: float = Field(
        default=0.9, gt=0, le=1, description="Answers at least this alike repeat each other."
    )
    shortest: int = Field(
        default=40, ge=1, description="Shorter answers ('Yes.') may come again, in characters."
    )
    agree: tuple[tuple[int, int], ...] = Field(
        default=(), description="Pairs of turns (from 1) whose answers must be the same."
    )
    match: MatchOptions = Field(
        default=MatchOptions(),
        description="How the answers of a pair are read and compared, for instance"
        " {numeric: true}.",
    )

    @field_validator("agree")
    @classmethod
    def _turns(cls, pairs: tuple[tuple[int, int], ...]) -> tuple[tuple[int, int], ...]:
        if any(first < 1 or second <= first for first, second in pairs):
            raise ValueError("a pair names two turns, the earlier one first, counted from 1")
        return pairs


class Conversation:
    """Repetition and contradiction over the turns of a trial."""

    name = NAME
    primary = "sound"
    names = ("sound", "no_repetition", "no_contradiction")
    needs_target = False
    Options = ConversationOptions

    def __init__(self, options: ConversationOptions) -> None:
        self.options = options
        self.version = version_of(CODE_VERSION, options)
        self._match = Match(options.match)

    def score(self, sample: Sample, trial: Trial) -> Sequence[Score]:
        """Return `sound` and its two sides."""
        ends = trial.turn_ends
        answers = [trial.completions[end].text for end in ends]
        checks = [self._repetition(answers, _asked(trial, len(ends)))]
        checks += [self._contradiction(sample, trial, ends)] if self.options.agree else []
        wrong = next((c for c in checks if c.value is None or c.value < 1.0), None)
        whole = Check(
            name="sound",
            value=1.0 if wrong is None else None if wrong.value is None else 0.0,
            label="right" if wrong is None else wrong.label,
            rule="answers against each other",
            explanation=None if wrong is None else wrong.explanation,
        )
        return [check.score(NAME, self.version) for check in (whole, *checks)]

    def _repetition(self, answers: Sequence[str], asked: Sequence[str]) -> Check:
        plain = [normalised(answer[:_COMPARED]) for answer in answers]
        again: list[int] = []
        for place, text in enumerate(plain):
            if len(text) < self.options.shortest:
                continue
            limit = self.options.alike * 100
            others = (
                earlier
                for before, earlier in enumerate(plain[:place])
                if asked[before] != asked[place]
                and (before + 1, place + 1) not in self.options.agree
            )
            if any(fuzz.ratio(text, earlier, score_cutoff=limit) for earlier in others):
                again.append(place + 1)
        share = 1 - len(again) / len(answers) if answers else None
        return Check(
            name="no_repetition",
            value=share,
            label="right" if not again else "repetition",
            rule=f"no answer is {self.options.alike:g} like one to another question",
            explanation=f"turns {again[:10]} repeat earlier answers" if again else None,
        )

    def _contradiction(self, sample: Sample, trial: Trial, ends: Sequence[int]) -> Check:
        values: list[float | None] = []
        wrong: list[str] = []
        for first, second in self.options.agree:
            if second > len(ends):
                values.append(0.0)
                wrong.append(f"turn {second} was not reached")
                continue
            value = self._same(sample, trial, ends[first - 1], ends[second - 1])
            values.append(value)
            if value == 0.0:
                wrong.append(f"turn {second} against turn {first}")
        known = [value for value in values if value is not None]
        return Check(
            name="no_contradiction",
            value=sum(known) / len(values) if len(known) == len(values) else None,
            label="right" if not wrong else "contradiction",
            rule="the answers of each pair are the same",
            explanation="; ".join(wrong[:5]) or None,
        )

    def _same(self, sample: Sample, trial: Trial, first: int, second: int) -> float | None:
        """Compare the later answer with what was read from the earlier one."""
        read = self._read(sample, trial, first, target="0")  # its answer is read, not judged
        said = trial.completions[first].text if read.answer is None else read.answer
        return self._read(sample, trial, second, target=said).value

    def _read(self, sample: Sample, trial: Trial, end: int, *, target: Json) -> Score:
        at = replace(trial, completions=(trial.completions[end],), failure=None)
        (score,) = self._match.score(sample.model_copy(update={"target": target}), at)
        return score


def _asked(trial: Trial, turns: int) -> list[str]:
    """Return what the user said before each of the turns; where that is not told, each differs."""
    said = [normalised(m.text[:_COMPARED]) for m in trial.transcript if m.role == "user"]
    lacking = turns - len(said)
    return [f"turn {place}" for place in range(lacking)] + said[max(0, -lacking) :]
