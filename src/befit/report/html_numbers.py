"""Estimates and other numbers as the templates print them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from markupsafe import Markup, escape

from befit.analysis.results import Finding
from befit.charts.numbers import Unit, bare, count_text, interval_text, value_text, with_unit
from befit.core.estimate import Estimate
from befit.report.html_text import shown

_UNIT = re.compile(r"(?<=\d) (?=(?:%|s|USD)(?:\W|$))")

_LETTERS = "\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc"
_RIGHT_TO_LEFT = re.compile(f"[{_LETTERS}]+(?:[ _.-]+[{_LETTERS}]+)*")
"""Words of Hebrew, Arabic and their kin that stand together."""


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


def sentence(text: str) -> Markup:
    """Return a sentence as markup: no line breaks between a number and its unit.

    A name in a script that runs from right to left is set apart, for else it would turn
    the numbers after it round: `98 % [83, 100]` would read `[100 ,83] % 98`.
    """
    told, parts, start = _UNIT.sub("\u00a0", text), [], 0
    for found in _RIGHT_TO_LEFT.finditer(told):
        parts += [
            shown(told[start : found.start()]),
            Markup("<bdi>{}</bdi>").format(shown(found[0])),
        ]
        start = found.end()
    return Markup().join([*parts, shown(told[start:])])


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
