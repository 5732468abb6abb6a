"""Why a model seems to have changed: what was compared, what was seen; see `causes`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from befit.core.estimate import Estimate

Cause = Literal["settings", "batching"]
Outcome = Literal["found", "not_found", "not_measured"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Contrast:
    """One thing varied and all else the same, on the same samples."""

    cause: Cause
    base: str
    other: str
    """The two ways in words, for instance `1 call at a time` and `8 calls at a time`."""
    at_base: Estimate
    at_other: Estimate
    difference: Estimate
    """Pass rate, other minus base, paired by sample."""
    p_value: float | None
    length: Estimate
    """Output tokens of the other over those of the base, pooled."""
    changed: Estimate
    """Share of samples whose answer is another one the other way."""
    changed_anyway: Estimate
    """The same between two measurements the base way; not measured where there is only one."""
    changed_more: Estimate
    """`changed` minus `changed_anyway`, paired by sample."""
    served: tuple[str, ...]
    """Who answered, all told."""
    missing: int

    @property
    def outcome(self) -> Outcome:
        """Whether results, lengths or answers differ by more than chance."""
        if self.difference.value is None:
            return "not_measured"
        if (
            differs(self.difference, 0.0)
            or differs(self.length, 1.0)
            or differs(self.changed_more, 0.0)
        ):
            return "found"
        return "not_found"


@dataclass(frozen=True, slots=True, kw_only=True)
class Beginning:
    """Texts of one length that begin with a marker, which is asked for at their end."""

    tokens: int
    """The length asked for, at about 4 characters a token."""
    named: Estimate
    """Share of the markers that were given back."""
    refused: int
    """Texts that the provider would not take."""
    billed: float | None
    """Input tokens that the provider counted, the mean."""
    counted: float | None
    """Input tokens due, by the tokens per character of the two shortest lengths."""

    @property
    def short(self) -> bool:
        """Whether fewer tokens were billed than were sent, by more than a tokenizer wavers."""
        if self.billed is None or self.counted is None:
            return False
        return self.billed < (1 - SLACK) * self.counted


SLACK = 0.1
"""A share of the tokens due that may be missing without being called a cut."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Causes:
    """One search for causes, as it is kept."""

    candidate: str
    fingerprint: str
    scenario: str
    created_at: str
    contrasts: tuple[Contrast, ...]
    beginnings: tuple[Beginning, ...]
    unanswered: int = 0
    """Texts with a marker that were sent and of which nothing came back."""


def differs(estimate: Estimate, nothing: float) -> bool:
    """Tell whether an interval leaves the value out that means no difference."""
    if estimate.low is None or estimate.high is None:
        return False
    return not estimate.low <= nothing <= estimate.high
