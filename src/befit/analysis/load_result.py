"""All that one load measurement found: what the page, the terminal and the JSON file show."""

from __future__ import annotations

from dataclasses import dataclass, fields, is_dataclass, replace
from decimal import Decimal

import numpy as np
from pydantic import BaseModel

from befit.analysis.load import LoadLevel, ServiceLevel
from befit.analysis.load_definitions import DEFINITIONS, Definition
from befit.analysis.load_search import Knee, Tried, knee
from befit.analysis.load_timeline import Timeline
from befit.analysis.self_hosted import SelfHosted
from befit.core.estimate import Estimate
from befit.core.record import Json

SCHEMA = "befit/load/1"
INTERRUPTED = "stopped: interrupted"
"""What the notes, or the end of a search, say of a measurement that a person ended."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadResult:
    """One candidate under load on one scenario."""

    project: str
    candidate: str
    fingerprint: str
    scenario: str
    endpoint: str
    created_at: str
    befit_version: str
    promise: ServiceLevel
    levels: tuple[LoadLevel, ...]
    timelines: tuple[Timeline | None, ...]
    """One for each level."""
    notes: tuple[str, ...]
    tried: tuple[Tried, ...] = ()
    bearable: float | None = None
    """The most load that kept the promise; None without a search, or where none did."""
    ended_by: str = ""
    requests: int = 0
    tokens: int = 0
    spent: Decimal | None = None
    """USD spent at most: calls of unknown cost count at their bound. None: price unknown."""
    hosted: SelfHosted | None = None
    execution: str = ""
    """The scenario's execution fingerprint; with another prompt it is another load."""
    source: str = ""
    """The tool whose result this is; "" for our own."""
    definitions: tuple[Definition, ...] = DEFINITIONS

    @property
    def knee(self) -> Knee | None:
        """Where more load stops bringing more answers; needs five levels that may be used.

        Where both kinds of loop were measured, it is that of the first kind.
        """
        usable = [
            (load, level.requests_per_second.value)
            for level in next(iter(by_axis(self)), self).levels
            if not level.invalid
            and (load := load_of(level))
            and level.requests_per_second.value is not None
        ]
        if not usable:
            return None
        return knee(np.array([x for x, _ in usable]), np.array([float(y or 0) for _, y in usable]))

    @property
    def peak(self) -> LoadLevel | None:
        """The level that `throughput` is read from; None where none may be used.

        After a search the most load that kept the promise, else the highest load measured; that
        with the most answers where calls in flight and calls per second were both measured.
        """
        usable = [level for level in self.levels if not level.invalid and level.calls]
        if self.tried:
            usable = [level for level in usable if load_of(level) == self.bearable]
        if len({level.shape.kind == "closed" for level in usable}) > 1:
            return max(usable, key=lambda level: level.requests_per_second.value or 0.0)
        return max(usable, key=lambda level: load_of(level) or 0.0, default=None)

    @property
    def interrupted(self) -> bool:
        """Whether a person ended it before all of it was measured."""
        return INTERRUPTED in (*self.notes, self.ended_by)

    @property
    def invalid(self) -> tuple[str, ...]:
        """Why levels must not be used."""
        return tuple(f"{lv.shape.name}: {why}" for lv in self.levels for why in lv.invalid)


def by_axis(result: LoadResult) -> tuple[LoadResult, ...]:
    """Return a result in parts whose loads can be compared: calls per second, calls in flight."""
    axes: dict[bool, list[tuple[LoadLevel, Timeline | None]]] = {}
    for level, line in zip(result.levels, result.timelines, strict=True):
        axes.setdefault(level.shape.kind == "closed", []).append((level, line))
    return tuple(
        replace(
            result,
            levels=tuple(level for level, _ in pairs),
            timelines=tuple(line for _, line in pairs),
        )
        for pairs in axes.values()
    )


def load_of(level: LoadLevel) -> float | None:
    """Return the load of a level: calls per second, or calls in flight in a closed loop."""
    if level.shape.kind == "closed":
        return float(level.shape.concurrency or 0)
    return level.offered_rate


def load_data(result: LoadResult) -> dict[str, Json]:
    """Return a result as JSON values."""
    data = {field.name: as_json(getattr(result, field.name)) for field in fields(result)}
    return {"schema": SCHEMA, **data, "knee": as_json(result.knee), "invalid": list(result.invalid)}


def as_json(value: object) -> Json:
    """Return any result of ours as JSON values; amounts of money as text."""
    if isinstance(value, Estimate):
        return value.to_dict()
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json")
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: as_json(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, dict):
        return {str(key): as_json(one) for key, one in value.items()}
    if isinstance(value, tuple | list):
        return [as_json(one) for one in value]
    return str(value) if isinstance(value, Decimal) else value
