"""A score: one judgement of one trial, with its evidence. Unscored (None) is not 0."""

from __future__ import annotations

from befit.core.record import Json
from befit.core.slim import slim


@slim(frozen=True, slots=True, kw_only=True)
class Score:
    """One judgement.

    The evidence (`answer`, `span`, `rule`) is kept for passes too: a substring
    rule can call a wrong answer right, and only the span shows it.
    """

    scorer: str
    version: str
    name: str
    """The metric, for instance `match`, `field_accuracy`, `schema_valid`."""
    value: float | None
    """0..1, or None: could not be scored."""
    label: str | None = None
    """The outcome in a word (`invented`, `wrong_format`); failure modes refer to it."""
    part: str | None = None
    """What part of the answer it is about (a field, an instruction); None is the whole."""
    answer: Json = None
    """The answer as extracted and normalised; equal answers compare equal."""
    span: tuple[int, int] | None = None
    """Start and end of the matched text in the output, in characters."""
    rule: str | None = None
    explanation: str | None = None
