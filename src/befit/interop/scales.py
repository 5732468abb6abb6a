"""Which scale a column is on, told from its values only where they leave no doubt.

All in [0, 1]: fractions. Up to 100 with some above 10: percent. Anything else
(Elo, points of 1 to 10, tokens) has no scale unless somebody states it: it
takes part in no composite. Percent mixed with fractions is refused, not guessed.
"""

from __future__ import annotations

from collections.abc import Mapping

from befit.core.screening import BenchmarkSettings
from befit.interop.benchmarks import Result, Troubles, numbers_of

TEN, HUNDRED = 10.0, 100.0
MIXED_SHARE = 0.2
"""From this share of cells at or below 1 on, a percent column counts as mixed."""


def resolve_scale(
    name: str,
    column: Mapping[str, Result],
    settings: BenchmarkSettings,
    *,
    troubles: Troubles,
    notes: list[str],
) -> tuple[Mapping[str, Result], BenchmarkSettings]:
    """Return the results that can be read and the settings with the scale they are on."""
    numbers = numbers_of(column)
    values = numbers.values()
    stated = settings.anchors
    if stated is not None:
        low, high = stated
        for model, value in numbers.items():
            if not low <= value <= high:
                troubles.add(
                    f"'{model}' has {value:g} on '{name}', whose scale is {low:g} to {high:g}",
                    name,
                    do="mend the value, or the benchmark's 'scale'",
                )
        return column, settings
    if not values or min(values) < 0 or max(values) > HUNDRED:
        return column, settings
    if max(values) <= 1:
        return column, settings.model_copy(update={"scale": "fraction"})
    if max(values) <= TEN:
        notes.append(
            f"'{name}' reaches {max(values):g} at most: percent or points cannot be told, so it"
            " has no scale; state 'scale'"
        )
        return column, settings
    return _percent(name, column, settings, troubles=troubles, notes=notes)


def _percent(
    name: str,
    column: Mapping[str, Result],
    settings: BenchmarkSettings,
    *,
    troubles: Troubles,
    notes: list[str],
) -> tuple[Mapping[str, Result], BenchmarkSettings]:
    numbers = numbers_of(column)
    small = {model: value for model, value in numbers.items() if 0 < value <= 1}
    settings = settings.model_copy(update={"scale": "percent"})
    if not small:
        return column, settings
    model, value = next(iter(small.items()))
    if len(small) >= MIXED_SHARE * len(column):
        other = max(numbers.values())
        troubles.add(
            f"'{name}' mixes percent and fractions: {value:g} for '{model}' beside {other:g}"
            f" ({len(small)} of {len(column)} cells are at or below 1)",
            name,
            do="write all in one form, or state 'scale: percent' if the small values are meant",
        )
        return column, settings
    notes.append(
        f"'{name}': {len(small)} cell(s) at or below 1 in a column of percent"
        f" ({value:g} for '{model}') may be fractions and are left out; state"
        " 'scale: percent' to keep them"
    )
    return {m: r for m, r in column.items() if m not in small}, settings
