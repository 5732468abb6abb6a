"""The policy: what a candidate must reach to be chosen. Parsed and checked with the project."""

from __future__ import annotations

from pydantic import Field, model_validator

from befit.core.record import Record


class Gate(Record):
    """A hard requirement on one metric of one scenario (or of all, where none is named).

    Passes when the one-sided 95 % bound is on the right side of the limit,
    fails when the other bound is on the wrong side, else evidence is missing.
    """

    metric: str
    scenario: str | None = None
    floor: float | None = None
    ceiling: float | None = None

    @model_validator(mode="after")
    def _one_limit(self) -> Gate:
        if (self.floor is None) == (self.ceiling is None):
            raise ValueError("give exactly one of 'floor' and 'ceiling'")
        return self


class Policy(Record):
    """Gates and preferences; the decision stage reads it."""

    gates: tuple[Gate, ...] = ()
    weights: dict[str, float] = Field(default_factory=dict)
    max_models: int | None = Field(default=None, gt=0)
    fallback_from_other_provider: bool = False
    budget_per_month: float | None = Field(default=None, gt=0)
