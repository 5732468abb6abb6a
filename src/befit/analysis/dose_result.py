"""What curves and pairs over tags hold; see `dose`."""

from __future__ import annotations

from dataclasses import dataclass

from befit.core.estimate import Estimate
from befit.stats.degradation import Aptitude


@dataclass(frozen=True, slots=True, kw_only=True)
class DoseCurve:
    """The pass rate of one candidate over the levels of one knob."""

    candidate: str
    scenario: str
    knob: str
    points: tuple[tuple[float, Estimate], ...]
    about: str = ""
    """`there` or `not there` where a scenario asks for both; "" where it asks one kind."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DoseGrid:
    """The pass rate of one candidate over two knobs at once, for instance length and depth."""

    candidate: str
    scenario: str
    rows_knob: str
    columns_knob: str
    rows: tuple[float, ...]
    columns: tuple[float, ...]
    cells: tuple[tuple[Estimate, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class DosePair:
    """The same items asked in two ways, paired by their cluster."""

    candidate: str
    scenario: str
    knob: str
    base: str
    other: str
    at_base: Estimate
    at_other: Estimate
    difference: Estimate
    """Other minus base, over items asked both ways."""
    kept: Estimate
    """Other over base, pooled: the share that is left."""
    aptitude: tuple[Aptitude, Aptitude] | None = None
    """P, A90 and U at the base and at the other, from ten repeats on (Laban et al. 2025)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PictureCell:
    """One candidate on one kind of content of pictures, asked in both styles; see `pictures`."""

    candidate: str
    scenario: str
    content: str
    """`text`, `structure` or `cross-region`."""
    reasoning: Estimate
    retrieval: Estimate
    gap: Estimate
    """Reasoning minus retrieval, over pictures asked about in both styles."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Doses:
    """All of a run."""

    curves: tuple[DoseCurve, ...] = ()
    grids: tuple[DoseGrid, ...] = ()
    pairs: tuple[DosePair, ...] = ()
    pictures: tuple[PictureCell, ...] = ()
