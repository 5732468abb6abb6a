"""The outcome of one comparison, before it becomes a score."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from befit.core.record import Json
from befit.scorers.evidence import Span, quoted


class Verdict(NamedTuple):
    """Value, label and the evidence, as in a score; a tuple, for it is made once per trial."""

    value: float | None
    label: str
    rule: str
    answer: Json = None
    span: Span | None = None
    explanation: str | None = None

    @staticmethod
    def right(answer: Json, span: Span, rule: str) -> Verdict:
        """Return the verdict of a right answer."""
        return Verdict(value=1.0, label="right", rule=rule, answer=answer, span=span)

    @staticmethod
    def wrong(
        answer: Json, span: Span | None, rule: str, targets: Sequence[Json], label: str = "wrong"
    ) -> Verdict:
        """Return the verdict of a wrong answer; it says what was expected."""
        wanted = " or ".join(quoted(target) for target in targets[:3])
        expected = f"expected {wanted}" if wanted else None
        return Verdict(
            value=0.0, label=label, rule=rule, answer=answer, span=span, explanation=expected
        )
