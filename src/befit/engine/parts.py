"""The parts of one sitting that all endpoints share: what stores, counts and stops."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from befit.core.sample import Sample
from befit.engine.early_stop import EarlyStop
from befit.engine.job import EngineStore, Place
from befit.engine.masking import Masking
from befit.engine.scoring import Scoring
from befit.engine.stop import Drain
from befit.engine.tally import Tally
from befit.engine.writer import Writer


@dataclass(slots=True)
class SampleLog:
    """Stores each sample of a run once, whichever endpoint reaches it first."""

    run_id: str
    stored: dict[str, int] = field(default_factory=dict)
    masking: Masking = field(default_factory=Masking)

    def put(self, store: EngineStore, places: list[Place]) -> None:
        """Store the samples of `places` that were not stored yet."""
        new: dict[str, list[Sample]] = {}
        upto: dict[str, int] = {}
        for place in places:
            scenario = place.slot.scenario
            if place.position >= upto.get(scenario, self.stored.get(scenario, 0)):
                upto[scenario] = place.position + 1
                new.setdefault(scenario, []).append(self.masking.record(place.sample))
        for scenario, samples in new.items():
            store.put_samples(self.run_id, scenario, samples)
            self.stored[scenario] = upto[scenario]


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """Made once for a run; `stops` is by candidate name."""

    log: SampleLog
    writer: Writer
    tally: Tally
    drain: Drain
    stops: dict[str, EarlyStop]
    scorings: Mapping[str, Scoring] = field(default_factory=dict)
