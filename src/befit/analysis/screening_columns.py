"""What each benchmark can still tell: ceiling, spread at the top, agreement with the others.

Saturated is a benchmark whose best model is near the ceiling and whose top models
are all near it, or lie no further apart than equal models would by chance.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations

import numpy as np

from befit.analysis.screening_noise import Cell
from befit.core.screening import BenchmarkInfo, Disagreement, Verdict
from befit.interop.benchmarks import BenchmarkTable, PlainColumn, Result
from befit.stats.arrays import Floats
from befit.stats.rankcorrelation import spearman

TOP = 5
NEAR_CEILING = 0.9
RANGE_95 = {2: 2.772, 3: 3.314, 4: 3.633, 5: 3.858}
"""Upper 5 % points of the range of so many independent normal values (in standard errors)."""
MIN_COMMON = 5
MOST_EXAMPLES = 5
MOST_MODELS = 300
"""Disagreements are counted over so many models; pairs grow with the square."""

Cells = Mapping[str, Mapping[str, Cell]]


def describe_columns(
    table: BenchmarkTable, cells: Cells, *, names: Sequence[str]
) -> tuple[BenchmarkInfo, ...]:
    """Return one description for each benchmark of `names`."""
    values = {
        name: np.array([cells[name][m].value if m in cells[name] else np.nan for m in table.models])
        for name in names
    }
    return tuple(_describe(table, cells, name, values) for name in names)


def _describe(
    table: BenchmarkTable, cells: Cells, name: str, values: Mapping[str, Floats]
) -> BenchmarkInfo:
    about, column = table.settings[name], cells[name]
    ordered = sorted(column.values(), key=lambda cell: -cell.value)
    best = max(column, key=lambda model: column[model].value)
    shares: list[float] = []
    if about.anchors is not None:
        low, high = about.anchors
        shares = [(cell.value - low) / (high - low) for cell in ordered[:TOP]]
    spread, noise = _top(ordered)
    flat = spread is not None and noise is not None and spread <= noise
    near = bool(shares) and shares[0] >= NEAR_CEILING
    all_near = len(shares) == TOP and shares[-1] >= NEAR_CEILING
    dates, sources, items = _origin(table.results[name])
    return BenchmarkInfo(
        name=name,
        n_models=len(column),
        items=about.items or items,
        anchors=about.anchors,
        skill=about.skill,
        languages=about.languages or (),
        modality=about.modality or (),
        aggregate=bool(about.aggregate),
        source=about.source or ", ".join(sorted(sources)[:3]),
        date=about.date or (max(dates) if dates else ""),
        best=best,
        best_share=shares[0] if shares else None,
        top_spread=spread,
        top_noise=noise,
        saturated=near and (flat or all_near) if shares else None,
        correlation=_correlation(values[name], [v for o, v in values.items() if o != name]),
    )


def _origin(column: Mapping[str, Result]) -> tuple[list[str], set[str], int | None]:
    """Return dates, sources and the largest number of items that the results state."""
    if isinstance(column, PlainColumn):
        return [], set(), None
    dates = [result.date for result in column.values() if result.date]
    sources = {result.source for result in column.values() if result.source}
    counts = [result.items for result in column.values() if result.items]
    return dates, sources, max(counts, default=None)


def _top(ordered: Sequence[Cell]) -> tuple[float | None, float | None]:
    """Return the spread of the top models, and what equals would spread by chance."""
    top = ordered[:TOP]
    if len(top) <= 1:
        return None, None
    errors = [cell.error for cell in top if cell.error is not None]
    noise = None
    if len(errors) == len(top):
        noise = RANGE_95[len(top)] * float(np.sqrt(np.mean(np.square(errors))))
    return top[0].value - top[-1].value, noise


def _correlation(column: Floats, others: Iterable[Floats]) -> float | None:
    """Return the median rank correlation over the benchmarks with enough common models."""
    found = []
    for other in others:
        common = ~np.isnan(column) & ~np.isnan(other)
        if int(common.sum()) < MIN_COMMON:
            continue
        value = spearman(column[common], other[common])
        if value is not None:
            found.append(value)
    return float(np.median(found)) if found else None


def disagreements(
    columns: Mapping[str, Mapping[str, float]], verdicts: Iterable[Verdict] = ()
) -> tuple[Disagreement, ...]:
    """Return, for each two metrics or composites, the pairs and cut-offs on which they disagree.

    Args:
        columns: metric or composite -> model -> value.
        verdicts: those on the same metrics, for models that one clears and the other excludes.
    """
    outcome = {(v.on, v.model): v.outcome for v in verdicts}
    return tuple(
        _disagreement(a, b, columns[a], columns[b], outcome) for a, b in combinations(columns, 2)
    )


def _disagreement(
    a: str,
    b: str,
    left: Mapping[str, float],
    right: Mapping[str, float],
    outcome: Mapping[tuple[str, str], str],
) -> Disagreement:
    common = [model for model in left if model in right]
    split = {"cleared", "excluded"}
    cut = [m for m in common if {outcome.get((a, m)), outcome.get((b, m))} == split]
    ranked = sorted(common, key=lambda model: -left[model])[:MOST_MODELS]
    x, y = (np.array([side[m] for m in ranked]) for side in (left, right))
    upper, lower = np.triu_indices(len(ranked), k=1)
    against = np.sign(x[upper] - x[lower]) * np.sign(y[upper] - y[lower]) < 0
    rank_x, rank_y = np.argsort(np.argsort(-x)), np.argsort(np.argsort(-y))
    apart = np.abs(rank_x[upper] - rank_x[lower]) + np.abs(rank_y[upper] - rank_y[lower])
    order = [i for i in np.argsort(-apart, kind="stable") if against[i]][:MOST_EXAMPLES]
    return Disagreement(
        a=a,
        b=b,
        n_models=len(ranked),
        n_pairs=len(upper),
        n_disagree=int(against.sum()),
        correlation=spearman(x, y) if len(ranked) > 1 else None,
        examples=tuple((ranked[upper[i]], ranked[lower[i]]) for i in order),
        cut_offs=tuple(cut),
    )


def uncovered(
    infos: Iterable[BenchmarkInfo],
    *,
    languages: Iterable[str],
    modalities: Iterable[str],
) -> tuple[str, ...]:
    """Return the languages and modalities needed that no benchmark of the table touches."""
    touched = list(infos)
    spoken = {lang.lower().split("-")[0] for one in touched for lang in one.languages}
    # a benchmark that states no modality is taken for one of text, as nearly all are
    seen = {word.lower() for one in touched for word in one.modality or ("text",)}
    found = [
        f"language {lang}"
        for lang in dict.fromkeys(languages)
        if lang.lower().split("-")[0] not in spoken
    ]
    return (*found, *(f"modality {m}" for m in dict.fromkeys(modalities) if m not in seen))
