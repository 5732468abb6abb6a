"""One finding of a scorer of several checks, before it becomes a score."""

from __future__ import annotations

from typing import NamedTuple

from befit.core.record import Json
from befit.core.score import Score
from befit.scorers.evidence import Span


class Check(NamedTuple):
    """The same words as in a score; `scorer` and `version` are added by the scorer."""

    name: str
    value: float | None
    label: str
    rule: str
    part: str | None = None
    answer: Json = None
    span: Span | None = None
    explanation: str | None = None

    def score(self, scorer: str, version: str) -> Score:
        """Return the finding as the score of `scorer`."""
        return Score(
            scorer=scorer,
            version=version,
            name=self.name,
            value=self.value,
            label=self.label,
            part=self.part,
            answer=self.answer,
            span=self.span,
            rule=self.rule,
            explanation=self.explanation,
        )
