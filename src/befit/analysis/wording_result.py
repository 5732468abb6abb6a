"""What is known of how results move with the wording of a prompt; see `wording`."""

from __future__ import annotations

from dataclasses import dataclass

from befit.core.estimate import Estimate


@dataclass(frozen=True, slots=True, kw_only=True)
class WordingCell:
    """One candidate on one scenario under several wordings."""

    candidate: str
    scenario: str
    per_prompt: tuple[tuple[str, Estimate], ...]
    """Name of the variant ("" is the prompt as it is) and its pass rate."""
    mean: Estimate
    """Over all wordings."""
    worst: Estimate
    """Under the worst wording, at a level corrected for having chosen it."""
    worst_name: str
    spread: Estimate
    """Best minus worst wording, on the same samples."""
    spread_by_noise: float | None
    """What the spread would be if wording did not matter; None: one repeat tells nothing of it."""
    spread_p: float | None
    pss: Estimate
    """Mean absolute difference over pairs of wordings, sample by sample (Zhuo et al. 2024)."""
    pss_by_noise: float | None
    shares: tuple[tuple[str, float], ...]
    """Shares of the variance: sample, wording, both together, run; () where it cannot be split.
    All samples count alike in it, whatever they weigh."""
    costly: bool
    """The spread is well above noise: every change of a word has to be tested anew."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderUnderWording:
    """Whether the order of the candidates on a scenario survives another wording."""

    scenario: str
    n_variants: int
    same_leader: int
    """Variants under which the same candidate leads."""
    least_tau: float | None
    """The lowest Kendall's tau-b between the order as it is and that of a variant."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wordings:
    """All of a run."""

    cells: tuple[WordingCell, ...] = ()
    orders: tuple[OrderUnderWording, ...] = ()
