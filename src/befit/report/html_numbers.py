"""Estimates and other numbers as the templates print them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from markupsafe import Markup, escape

from befit.analysis.results import Finding
from befit.charts.numbers import Unit, bare, count_text, interval_text, value_text, with_unit
from befit.core.estimate import Estimate

_UNIT = re.compile(r"(?<=\d) (?=(?:%|s|USD)(?:\W|$))")


def estimate(value: Estimate, unit: Unit = "percent", *, counts: bool = True) -> Markup:
    """Return an estimate as markup: value, interval and what it stands on."""
    if value.value is None:
        why = f' <span class="why">{escape(value.method)}</span>' if value.method else ""
        made = f'<span class="none">○ not measured</span>{why}'
    else:
        missing = f", {value.n_missing:,} missing" if value.n_missing else ""
        stands = f' <span class="n">{escape(count_text(value) + missing)}</span>' if counts else ""
        made = (
            f'<span class="v">{escape(value_text(value, unit))}</span> '
            f'<span class="i">{escape(interval_text(value, unit))}</span>{stands}'
        )
    return Markup(made)  # noqa: S704 - every text in it is escaped


def money(value: float | None) -> str:
    """Return an amount in USD; an unknown one is unknown, not zero."""
    return "unknown" if value is None else with_unit(bare(value, "usd"), "usd")


def sentence(text: str) -> str:
    """Return a sentence in which no line breaks between a number and its unit."""
    return _UNIT.sub("\u00a0", text)


def telling(findings: Sequence[Finding], most: int) -> tuple[tuple[Finding, int], ...]:
    """Return the findings to show first: one of each sort, with how many more are like it.

    Findings come ordered by severity; those with the same severity and the
    same remedy are of one sort, so that ten of one do not hide another.
    """
    sorts: dict[tuple[str, str], list[Finding]] = {}
    for finding in findings:
        sorts.setdefault((finding.severity, finding.do), []).append(finding)
    return tuple((own[0], len(own) - 1) for own in list(sorts.values())[:most])


def share(value: float) -> str:
    """Return a share as percent without decimals (a threshold, a step of the scale)."""
    return f"{100 * value:g} %"
