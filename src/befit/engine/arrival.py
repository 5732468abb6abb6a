"""A trial on its way to the store."""

from __future__ import annotations

from dataclasses import dataclass

from befit.core.sample import Sample
from befit.core.trial import Slot, Trial


@dataclass(slots=True)
class Arrival:
    """A trial that has ended, before it is scored and stored."""

    slot: Slot
    sample: Sample
    trial: Trial
    reused: bool = False
