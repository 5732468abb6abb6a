"""A task tier: what a right answer is worth, what a wrong one costs, how many there are."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from befit.core.record import Record


class Tier(Record):
    """Money in USD per task; `volume_per_month` in tasks."""

    name: str
    value: float = Field(default=0.0, ge=0)
    cost_of_error: float = Field(default=0.0, ge=0)
    complexity: Literal["low", "medium", "high"] = "medium"
    volume_per_month: int = Field(default=0, ge=0)
