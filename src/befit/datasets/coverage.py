"""Coverage: has the mix of production moved away from what a set was drawn from?

Each value of each field is compared between the log the set was drawn from and
the newest days, by two rates (Newcombe's interval; Fisher's test where counts
are small). Holm over all of them keeps the chance of any false alarm at 5 %.
Lines of one conversation count by their effective number.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from befit.stats.multiplicity import holm
from befit.stats.twowindows import two_rates

ALPHA = 0.05
_ENOUGH = 30
"""Effective lines in the newest days from which a comparison is made."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shift:
    """One value of a field: its share then and now, and whether the change is more than noise."""

    field: str
    value: str
    before: float
    now: float
    low: float
    """Lower limit of now - before, 95 %."""
    high: float
    p_adjusted: float
    moved: bool
    lines_before: int
    lines_now: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """All values, those that moved first; `enough` is False where nothing can be said."""

    shifts: tuple[Shift, ...]
    enough: bool
    lines_now: int
    effective_now: float

    @property
    def moved(self) -> tuple[Shift, ...]:
        """The values whose share has changed."""
        return tuple(one for one in self.shifts if one.moved)


def compare_mix(
    before: Mapping[str, Mapping[str, int]],
    now: Mapping[str, Mapping[str, int]],
    *,
    effect: float = 1.0,
) -> Coverage:
    """Compare counts per field and value; fields that only one side has are left out.

    Args:
        before: field -> value -> log lines a set was drawn from.
        now: the same of the newest days.
        effect: lines per independent line (1 where every line is a conversation of its own).
    """
    lines_now = max((sum(values.values()) for values in now.values()), default=0)
    effective = lines_now / effect
    if effective < _ENOUGH:
        return Coverage(shifts=(), enough=False, lines_now=lines_now, effective_now=effective)
    rows = sorted(
        (name, value, before[name].get(value, 0), sum(before[name].values()),
         now[name].get(value, 0), sum(now[name].values()))
        for name in before.keys() & now.keys()
        for value in before[name].keys() | now[name].keys()
    )  # fmt: skip
    tested = [
        two_rates(
            round(k / effect), n=max(1, round(m / effect)),
            second=round(j / effect), m=max(1, round(n / effect)),
        )
        for _, _, j, n, k, m in rows
    ]  # fmt: skip
    adjusted = holm([one.p_value for one in tested]).tolist() if tested else []
    shifts = [
        Shift(
            field=name,
            value=value,
            before=j / n if n else 0.0,
            now=k / m if m else 0.0,
            low=found.interval.low if found.interval.low is not None else -1.0,
            high=found.interval.high if found.interval.high is not None else 1.0,
            p_adjusted=p,
            moved=p <= ALPHA,
            lines_before=j,
            lines_now=k,
        )
        for (name, value, j, n, k, m), found, p in zip(rows, tested, adjusted, strict=True)
    ]
    shifts.sort(key=lambda one: (not one.moved, -abs(one.now - one.before), one.field, one.value))
    return Coverage(shifts=tuple(shifts), enough=True, lines_now=lines_now, effective_now=effective)


def lines_per_conversation(sizes: Mapping[str, int], single: int) -> float:
    """Return the lines that count as one: sum of squares over sum of the conversations' sizes.

    Args:
        sizes: conversation -> lines.
        single: lines without a conversation.
    """
    total = sum(sizes.values()) + single
    squares = sum(size * size for size in sizes.values()) + single
    return squares / total if total else 1.0
