"""The policy: what a candidate must reach to be chosen, and what is preferred among those that do.

Parsed and checked with the project, kept in every run's manifest and in every
decision. It changes no trial, so a new policy decides on evidence that is there.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field, model_validator

from befit.core.record import Record

Preference = Literal["cost", "quality", "value"]
LESS_IS_BETTER = (
    "latency",
    "first_token",
    "cost",
    "input_tokens",
    "output_tokens",
    "missing_rate",
    "failure_rate",
    "retry_rate",
    "prompt_spread",
    "verbosity",
    "hallucination",
    "missed",
    "hedged",
)
"""Beginnings of metrics of which less is better."""


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

    @property
    def limit(self) -> float:
        """The floor or the ceiling, whichever it has."""
        return self.ceiling if self.floor is None else self.floor  # type: ignore[return-value]  # one is set

    def __str__(self) -> str:
        """For example `pass_rate >= 0.9 on invoices`."""
        sign = "<=" if self.floor is None else ">="
        where = f" on {self.scenario}" if self.scenario else ""
        return f"{self.metric} {sign} {self.limit:g}{where}"


class Requirements(Record):
    """What a candidate must be, by its stated `traits`; nothing here is measured."""

    context_tokens: int | None = Field(default=None, gt=0)
    """Least context window."""
    tools: bool = False
    vision: bool = False
    regions: tuple[str, ...] = ()
    """Data regions that are allowed; empty: any."""
    providers: tuple[str, ...] = ()
    """Providers that are allowed; empty: any."""


class ComplexityFactors(Record):
    """How much dearer a mistake is where it is harder to notice and to mend."""

    low: float = Field(default=1.0, gt=0)
    medium: float = Field(default=1.0, gt=0)
    high: float = Field(default=2.0, gt=0)


class Policy(Record):
    """Gates and preferences; the decision stage reads it."""

    gates: tuple[Gate, ...] = ()
    require: Requirements = Requirements()
    weights: dict[str, float] = Field(default_factory=dict)
    """Scenario or dimension -> its weight in the pass rate of its tier, where quality or value is
    preferred; by traffic where none is given, and never a substitute for gates."""
    prefer: Preference = "cost"
    """Among those that pass: least cost, best quality within the budget, or most net value
    (value of right answers, less the cost of wrong ones, less the price)."""
    tier_floors: bool = True
    """Where a scenario has no floor of its own, its tier's value and cost of error set one: the
    pass rate at which right answers are worth what wrong ones cost."""
    complexity: ComplexityFactors = ComplexityFactors()
    traffic: dict[str, float] = Field(default_factory=dict)
    """Scenario -> its share of its tier's tasks; equal shares where none is given."""
    max_models: int | None = Field(default=None, gt=0)
    fallback_from_other_provider: bool = False
    budget_per_month: float | None = Field(default=None, gt=0)
    error: float = Field(default=0.05, gt=0, lt=0.5)
    """Chance, over the whole decision, that a route goes to a candidate which misses a gate."""
    price_doubt: float = Field(default=0.1, ge=0, le=2)
    """Relative standard deviation of future prices, for "what could change this"."""
    traffic_doubt: float = Field(default=0.2, ge=0, le=2)
    """The same of the traffic of each tier."""
    weight_doubt: float = Field(default=0.2, ge=0, le=2)
    """The same of the weights of the scenarios in a tier."""
    margin: float = Field(default=0.05, gt=0, lt=1)
    """Regression: by how much a pass rate may be worse than the baseline's at most."""
    margins: dict[str, float] = Field(default_factory=dict)
    """Scenario -> margin of its own."""

    def margin_of(self, scenario: str) -> float:
        """Return the non-inferiority margin of a scenario."""
        return self.margins.get(scenario, self.margin)
