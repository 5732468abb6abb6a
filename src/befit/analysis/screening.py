"""Screening: what a table of public results can say, and what it cannot.

One pure function: a table and settings in, a frozen `Screening` out. Public
benchmarks may exclude the unfit and nothing more, so there are verdicts on
cut-offs, rank groups, and doubts, but no ranking.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from befit.analysis.screening_columns import describe_columns, disagreements, uncovered
from befit.analysis.screening_composites import (
    composite,
    composite_value,
    composite_weights,
    depth,
)
from befit.analysis.screening_noise import Cell, read_cells
from befit.analysis.screening_ranks import rank_groups
from befit.analysis.screening_verdicts import judge, model_outcomes, skill_weights
from befit.core.screening import (
    Disagreement,
    Evidence,
    Screening,
    ScreeningSettings,
    Verdict,
)
from befit.errors import DataError, ProjectError
from befit.interop.benchmarks import BenchmarkTable
from befit.plugins import nearest

MOST_COLUMNS = 24
"""Benchmarks looked at in depth: those asked about, then those reported most."""
MOST_DISAGREEMENTS = 12
MOST_UNNAMED = 6
"""Benchmarks of no known skill that are still compared with each other."""
SEED = 20_240_607


def screen(
    table: BenchmarkTable,
    settings: ScreeningSettings,
    *,
    made_on: str,
    languages: Sequence[str] = (),
    modalities: Sequence[str] = (),
    contamination: tuple[Evidence, ...] = (),
) -> Screening:
    """Return everything that screening finds.

    Args:
        table: all results, scales resolved.
        settings: cut-offs, composites, assumptions.
        made_on: today, ISO 8601.
        languages: that the project's scenarios need.
        modalities: that they need (`text`, `image` ...).
        contamination: evidence found on results per item.

    Raises:
        ProjectError: settings that do not fit the table.
    """
    weights = _checked(table, settings)
    asked = _asked(table, settings, weights)
    shown = _shown(table, asked)
    cells = {
        name: read_cells(table, name, assumed_items=settings.assumed_items)
        for name in dict.fromkeys((*asked, *shown))
    }
    rng = np.random.default_rng(SEED)
    verdicts = judge(table, cells, settings, weights)
    infos = describe_columns(table, cells, names=shown)
    composites = tuple(
        composite(table, cells, w, name=name, stated=_stated(settings, name), rng=rng)
        for name, w in weights.items()
    )
    return Screening(
        made_on=made_on,
        tables=table.tables,
        table_hash=table.digest,
        n_models=len(table.models),
        verdicts=verdicts,
        models=model_outcomes(
            table.models, verdicts, one_composite_excludes=settings.one_composite_excludes
        ),
        benchmarks=infos,
        groups=tuple(
            rank_groups(name, cells[name], table.results[name], span=_span(table, name), rng=rng)
            for name in shown
        ),
        composites=composites,
        disagreements=_disagreements(table, cells, shown, weights, verdicts),
        uncovered=uncovered(infos, languages=languages, modalities=modalities),
        contamination=contamination,
        notes=_notes(table, settings, shown),
    )


def _stated(settings: ScreeningSettings, name: str) -> bool:
    asked = settings.composites.get(name)
    return asked is not None and bool(asked.weights)


def _span(table: BenchmarkTable, name: str) -> float:
    anchors = table.settings[name].anchors
    return 1.0 if anchors is None else anchors[1] - anchors[0]


def _checked(table: BenchmarkTable, settings: ScreeningSettings) -> dict[str, dict[str, float]]:
    skills = sorted({about.skill for about in table.settings.values() if about.skill})
    for skill in settings.skills:
        if not skill_weights(table, skill):
            raise ProjectError([
                DataError(
                    f"no benchmark with a scale covers the skill '{skill}'",
                    where=f"screening.skills.{skill}",
                    why=f"the table covers {', '.join(skills) or 'none that is known'}",
                    do=nearest(skill, skills).strip() or "give a benchmark this 'skill'",
                )
            ])  # fmt: skip
    try:
        return composite_weights(table, settings.composites)
    except ValueError as error:
        raise ProjectError([DataError(str(error), where="screening.composites")]) from error


def _asked(
    table: BenchmarkTable,
    settings: ScreeningSettings,
    weights: Mapping[str, Mapping[str, float]],
) -> list[str]:
    """Return the benchmarks that a cut-off or a weight rests on."""
    asked = [name for name, about in table.settings.items() if about.cut_off is not None]
    asked += [name for own in weights.values() for name in own]
    return asked + [name for skill in settings.skills for name in skill_weights(table, skill)]


def _shown(table: BenchmarkTable, asked: Sequence[str]) -> list[str]:
    """Return the benchmarks to look at in depth."""
    rest = sorted(
        table.benchmarks,
        key=lambda n: (table.settings[n].anchors is None, -len(table.results[n])),
    )
    known = [name for name in dict.fromkeys((*asked, *rest)) if table.results[name]]
    kept = set(known[: max(depth(table), min(len(asked), MOST_COLUMNS))])
    return [name for name in table.benchmarks if name in kept]


def _disagreements(
    table: BenchmarkTable,
    cells: Mapping[str, Mapping[str, Cell]],
    shown: Sequence[str],
    weights: Mapping[str, Mapping[str, float]],
    verdicts: Sequence[Verdict],
) -> tuple[Disagreement, ...]:
    """Compare composites with each other; with fewer than two, metrics of one skill."""
    if len(weights) > 1:
        columns = {
            name: {
                model: value
                for model in table.models
                if (value := composite_value(table, cells, own, model)) is not None
            }
            for name, own in weights.items()
        }
        return disagreements(columns, verdicts)
    found: list[Disagreement] = []
    for names in _alike(table, shown):
        values = {n: {m: cell.value for m, cell in cells[n].items()} for n in names}
        found += disagreements(values, verdicts)
    kept = [one for one in found if one.n_disagree or one.cut_offs]
    kept.sort(key=lambda one: -one.n_disagree / max(one.n_pairs, 1))
    return tuple(kept[:MOST_DISAGREEMENTS])


def _alike(table: BenchmarkTable, shown: Sequence[str]) -> list[list[str]]:
    """Return groups of benchmarks with anchors that claim to measure the same skill."""
    groups: dict[str, list[str]] = {}
    for name in shown:
        if table.settings[name].anchors is not None:
            groups.setdefault(table.settings[name].skill or "", []).append(name)
    unnamed = groups.pop("", [])
    if len(unnamed) <= MOST_UNNAMED:
        groups[""] = unnamed
    return [names for names in groups.values() if len(names) > 1]


def _notes(
    table: BenchmarkTable, settings: ScreeningSettings, shown: Sequence[str]
) -> tuple[str, ...]:
    found = list(table.notes)
    bare = [name for name in shown if table.settings[name].anchors is None]
    if bare:
        found.append(
            f"no scale is known for {', '.join(bare[:6])}: no place in a composite, and noise only"
            " where it is stated"
        )
    averages = [name for name in shown if table.settings[name].aggregate]
    if averages:
        found.append(f"{', '.join(averages)}: averages of benchmarks, so in no composite")
    if len(shown) < len(table.benchmarks):
        found.append(
            f"{len(shown)} of {len(table.benchmarks)} benchmarks are looked at in depth; state a"
            " cut-off or a weight to have another one shown"
        )
    cuts = [one.cut_off for one in settings.skills.values()]
    cuts += [one.cut_off for one in settings.composites.values()]
    cuts += [one.cut_off for one in table.settings.values()]
    if all(one is None for one in cuts):
        found.append("no cut-off is stated, so nobody is excluded")
    return tuple(found)
