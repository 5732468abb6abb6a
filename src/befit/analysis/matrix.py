"""The capability matrix: one dimension at a time, never one total.

Every row is tested on its own: all pairs on the samples both answered,
sign-flip tests corrected by Holm, read as letters and rank sets.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import ceil
from typing import Literal

import numpy as np

from befit.analysis.columns import Bools
from befit.analysis.confounding import confounders
from befit.analysis.frame import Frame
from befit.analysis.items import Items, item_means
from befit.analysis.results import (
    COVERAGE,
    Cell,
    DifferenceVerdict,
    MatrixRow,
    PairDifference,
)
from befit.core.dimension import Headline, known_dimensions
from befit.core.estimate import THIN, Estimate
from befit.core.run import Manifest
from befit.core.scenario import ScenarioSpec
from befit.stats.design import design_effect
from befit.stats.distributions import one_sided
from befit.stats.gates import against_floor
from befit.stats.power import samples_for_difference, samples_for_sign_flip
from befit.stats.ranking import Pair, Ranking, rank_candidates

PASS = Headline(score="pass", title="Pass rate")
SETTLED = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class RowPlan:
    """What a row shows, before anything is computed."""

    key: str
    level: Literal["dimension", "scenario", "kind", "language"]
    title: str
    headline: Headline
    scenarios: tuple[int, ...]
    keep: Bools | None = None


Ranked = dict[tuple[tuple[int, ...], str], tuple[Items, Ranking | None]]
"""(scenarios, metric) -> item means and ranking over all their samples, once they are made."""


def specs(frame: Frame) -> tuple[ScenarioSpec, ...]:
    """Return the scenarios' descriptions in the order of their codes."""
    by_name = {s.spec.name: s.spec for s in frame.manifest.scenarios}
    return tuple(by_name[name] for name in frame.scenarios)


def headlines_of(frame: Frame, slug: str, codes: Sequence[int]) -> tuple[Headline, ...]:
    """Return the headline metrics that all scenarios of a dimension measure, else the pass rate.

    One of a pair that only some of them measure stands where any of them measures either.
    """
    dimension = known_dimensions().get(slug)
    if dimension is None:
        return (PASS,)
    measured = [
        headline.score != "pass" and all((code, headline.score) in frame.metrics for code in codes)
        for headline in dimension.headlines
    ]
    found = tuple(
        headline
        for headline, given in zip(dimension.headlines, measured, strict=True)
        if given or (headline.always and any(measured)) or _measured_beside(frame, headline, codes)
    )
    return found or (PASS,)


def _measured_beside(frame: Frame, headline: Headline, codes: Sequence[int]) -> bool:
    if not headline.beside:
        return False
    pair = (headline.score, headline.beside)
    return any((code, score) in frame.metrics for code in codes for score in pair)


def dimension_rows(frame: Frame, ranked: Ranked | None = None) -> tuple[MatrixRow, ...]:
    """Return the matrix: a row per dimension and headline metric, in the matrix's fixed order.

    What is ranked for it is put into `ranked`, where it is given.
    """
    by_slug: dict[str, list[int]] = {}
    for code, spec in enumerate(specs(frame)):
        by_slug.setdefault(spec.dimension, []).append(code)
    order = [slug for slug in known_dimensions() if slug in by_slug]
    order += [slug for slug in by_slug if slug not in order]
    rows: list[MatrixRow] = []
    for slug in order:
        codes = tuple(by_slug[slug])
        known = known_dimensions().get(slug)
        for headline in headlines_of(frame, slug, codes):
            plan = RowPlan(
                key=f"{slug}/{headline.score}",
                level="dimension",
                title=known.title if known else slug,
                headline=headline,
                scenarios=codes,
                keep=_given_on(frame, codes, headline) if headline.partial else None,
            )
            rows.append(build_row(frame, plan, ranked=ranked))
    return tuple(rows)


def _given_on(frame: Frame, codes: Sequence[int], headline: Headline) -> Bools:
    """Return which samples have a metric that is no matter of all samples."""
    keep = np.zeros(len(frame.samples), dtype=np.bool_)
    for code in codes:
        column = frame.metrics.get((code, headline.score))
        if column is None:
            continue
        keep[frame.sample[column.row[~np.isnan(column.value)]]] = True
    return keep


def scenario_rows(frame: Frame, ranked: Ranked | None = None) -> tuple[MatrixRow, ...]:
    """Return the pass rate of every scenario, judged against its acceptance threshold.

    What `ranked` holds (a dimension of one scenario) is not ranked again.
    """
    plans = (
        RowPlan(
            key=f"scenario/{name}", level="scenario", title=name, headline=PASS, scenarios=(code,)
        )
        for code, name in enumerate(frame.scenarios)
    )
    return tuple(build_row(frame, plan, ranked=ranked) for plan in plans)


def slice_rows(frame: Frame) -> tuple[MatrixRow, ...]:
    """Return the pass rate per kind and per language of scenarios that have more than one."""
    return tuple(build_row(frame, plan, compare=False) for plan in _slices(frame))


def _slices(frame: Frame) -> Iterator[RowPlan]:
    for code, name in enumerate(frame.scenarios):
        own = [info for info in frame.samples if info.scenario == code]
        levels: tuple[tuple[Literal["kind", "language"], str], ...] = (
            ("kind", "kind"),
            ("language", "language"),
        )
        for level, attribute in levels:
            values = sorted({str(v) for i in own if (v := getattr(i, attribute)) is not None})
            if len(values) < 2:  # noqa: PLR2004 - one value is no slice
                continue
            for value in values:
                keep = np.array([str(getattr(i, attribute)) == value for i in frame.samples])
                yield RowPlan(
                    key=f"{level}/{name}/{value}",
                    level=level,
                    title=f"{name}: {value}",
                    headline=PASS,
                    scenarios=(code,),
                    keep=keep,
                )


def _ranked(frame: Frame, plan: RowPlan, *, compare: bool) -> tuple[Items, Ranking | None]:
    items = item_means(frame, plan.scenarios, plan.headline.score, keep=plan.keep)
    if not compare or len(frame.candidates) < 2 or not len(items.samples):  # noqa: PLR2004 - alone
        return items, None
    ranking = rank_candidates(
        items.mean,
        binary_single=items.single,
        # One fixed seed a row: the same results give the same report.
        rng=np.random.default_rng(0),
        clusters=items.clusters,
        weights=items.weights,
    )
    return items, ranking


def build_row(
    frame: Frame, plan: RowPlan, *, compare: bool = True, ranked: Ranked | None = None
) -> MatrixRow:
    """Compute one row: a cell per candidate and, if asked, all paired differences."""
    known = ranked if ranked is not None and compare and plan.keep is None else {}
    key = (plan.scenarios, plan.headline.score)
    if key not in known:
        known[key] = _ranked(frame, plan, compare=compare)
    items, ranking = known[key]
    described = [specs(frame)[code] for code in plan.scenarios]
    threshold = _threshold(described, plan.headline.score)
    placed = [code for code in range(len(frame.candidates)) if _is_ranked(items, code)]
    return MatrixRow(
        key=plan.key,
        level=plan.level,
        title=plan.title,
        metric=plan.headline.score,
        metric_title=plan.headline.title,
        dimension=described[0].dimension,
        scenarios=tuple(spec.name for spec in described),
        critical=any(spec.critical for spec in described),
        threshold=threshold,
        cells=tuple(
            _cell(
                frame.candidates[code],
                items,
                code,
                letters="" if ranking is None or code not in placed else ranking.letters[code],
                threshold=threshold,
            )
            for code in range(len(frame.candidates))
        ),
        differences=_differences(frame, items, plan, ranking),
        rank_sets={}
        if ranking is None
        else {frame.candidates[code]: ranking.rank_sets[code] for code in placed},
    )


def _is_ranked(items: Items, code: int) -> bool:
    """Tell whether enough of the planned samples has a value for a rank to be trusted."""
    return bool(items.n_trials[code].any()) and items.coverage(code) >= COVERAGE


def _with_values(items: Items, code: int) -> str:
    """Return how many of the samples that a candidate was asked have a value: 80 of 120."""
    there, asked = items.with_values(code)
    return f"{there:,} of {asked:,}"


def _cell(
    candidate: str, items: Items, code: int, *, letters: str, threshold: float | None
) -> Cell:
    estimate = items.estimate(code)
    below: bool | None = None
    if threshold is not None and estimate.value is not None:
        outcome = against_floor(items.estimate(code, level=one_sided(0.95)), floor=threshold)
        below = {"pass": False, "fail": True}.get(outcome)
    return Cell(
        candidate=candidate,
        estimate=estimate,
        letters=letters,
        thin=estimate.value is not None and estimate.n_samples < THIN,
        below_gate=below,
    )


def _threshold(described: Sequence[ScenarioSpec], metric: str) -> float | None:
    if len(described) != 1:
        return None
    accept = described[0].accept
    return accept.pass_rate if metric == "pass" else accept.metrics.get(metric)


def _differences(
    frame: Frame, items: Items, plan: RowPlan, ranking: Ranking | None
) -> tuple[PairDifference, ...]:
    if ranking is None:
        return ()
    names = [frame.scenarios[code] for code in plan.scenarios]
    return tuple(
        _difference(frame.manifest, items, plan, pair=p, names=names) for p in ranking.pairs
    )


def _difference(
    manifest: Manifest, items: Items, plan: RowPlan, *, pair: Pair, names: Sequence[str]
) -> PairDifference:
    found = pair.difference.estimate
    estimate = replace(found, n_trials=shared_trials(items, pair.first, pair.second))
    verdict: DifferenceVerdict = "not_distinguishable"
    needed = None
    first, second = manifest.candidates[pair.first], manifest.candidates[pair.second]
    left_out = tuple(
        f"{manifest.candidates[code].candidate.name} {_with_values(items, code)}"
        for code in (pair.first, pair.second)
        if not _is_ranked(items, code)
    )
    if left_out:
        verdict = "not_ranked"
    elif pair.significant:
        verdict = "better" if (estimate.value or 0.0) > 0 else "worse"
    elif estimate.value:
        pairs = len(items.mean) * (len(items.mean) - 1) // 2
        needed = _samples_needed(items, pair, estimate, alpha=SETTLED / pairs)
    return PairDifference(
        a=first.candidate.name,
        b=second.candidate.name,
        row=plan.key,
        estimate=estimate,
        p_value=pair.difference.p_value,
        p_adjusted=pair.adjusted_p,
        verdict=verdict,
        samples_needed=needed,
        clustered=items.clusters is not None,
        confounded_by=confounders(manifest, first, second, scenarios=names),
        not_ranked=left_out,
    )


def shared_trials(items: Items, first: int, second: int) -> int:
    """Return the scored trials of both candidates on the samples that both have."""
    shared = (items.n_trials[first] > 0) & (items.n_trials[second] > 0)
    return int(items.n_trials[[first, second]][:, shared].sum())


def _samples_needed(items: Items, pair: Pair, found: Estimate, *, alpha: float) -> int | None:
    """Return the samples that would settle a difference as large as the one seen.

    By the variance of the paired differences as they are, repeats included; at
    least what Connor's formula asks of two rates that differ in one direction only.
    Times the design effect of their clusters and weights, so in samples that come in
    clusters of the same size; never as few as there are, nor as few as the sign-flip test can
    show nothing with. None where there is one cluster only.
    """
    gaps = items.mean[pair.first] - items.mean[pair.second]
    there = ~np.isnan(gaps)
    gaps, difference = gaps[there], found.value or 0.0
    weights = None if items.weights is None else items.weights[there]
    clusters = None if items.clusters is None else items.clusters[there]
    seen = float(np.average(np.square(gaps), weights=weights))
    discordance = min(1.0, max(seen, abs(difference)))
    plain = samples_for_difference(difference, discordance=discordance, alpha=alpha)
    effect = design_effect(gaps, clusters=clusters, weights=weights)
    weighed = gaps if weights is None else gaps * weights
    least = samples_for_sign_flip(weighed, clusters=clusters, alpha=alpha)
    if plain is None or effect is None or least is None:
        return None
    return max(ceil(plain * effect), least, found.n_samples + 1)
