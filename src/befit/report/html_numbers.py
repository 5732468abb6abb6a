"""Estimates and other numbers as the templates print them."""

from __future__ import annotations

from markupsafe import Markup

from befit.charts.numbers import Unit, count_text, interval_text, significant, value_text
from befit.core.estimate import Estimate


def estimate(value: Estimate, unit: Unit = "percent", *, counts: bool = True) -> Markup:
    """Return an estimate as markup: value, interval and what it stands on."""
    if value.value is None:
        why = Markup(' <span class="why">{}</span>').format(value.method) if value.method else ""
        return Markup('<span class="none">○ not measured</span>{}').format(why)
    missing = f", {value.n_missing:,} missing" if value.n_missing else ""
    stands = Markup(' <span class="n">{}{}</span>').format(count_text(value), missing)
    return Markup('<span class="v">{}</span> <span class="i">{}</span>{}').format(
        value_text(value, unit), interval_text(value, unit), stands if counts else ""
    )


def money(value: float | None) -> str:
    """Return an amount in USD; an unknown one is unknown, not zero."""
    return "unknown" if value is None else f"${significant(value)}"


def share(value: float) -> str:
    """Return a share as percent without decimals (a threshold, a step of the scale)."""
    return f"{100 * value:g} %"
