"""Two candidates, or two runs, side by side on the samples they share.

Two trials are a pair only where both candidates were shown the same input and
were judged by the same target and the same scorers. What differs is said; what
spoils the comparison is refused unless it is asked for by name.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np

from befit.analysis.columns import Ints
from befit.analysis.confounding import Change, changes
from befit.analysis.frame import Frame
from befit.analysis.items import Items, item_means
from befit.analysis.matrix import headlines_of, specs
from befit.core.dimension import Headline
from befit.core.estimate import Estimate
from befit.core.run import ManifestCandidate
from befit.errors import UsageError
from befit.pipeline.analysing import load_frame
from befit.pipeline.matching import Shared, scorers_differ, served_notes, shared_samples
from befit.plugins import nearest
from befit.stats.multiplicity import holm
from befit.stats.paired import paired_difference
from befit.storage.workspace import Workspace

ALPHA = 0.05
ALLOWED = ("scorers", "targets")
"""What may differ between two runs only where it is asked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One scenario and metric: A minus B on the samples both answered."""

    scenario: str
    metric: str
    metric_title: str
    difference: Estimate
    """`n_samples` pairs, `n_trials` of both on them, `n_missing` samples that one of them lacks."""
    p_value: float | None
    p_adjusted: float | None
    """Holm over all lines; a metric that repeats another one number by number counts once."""
    verdict: str
    """`better`, `worse` or `not distinguishable`, of A against B."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """The comparison of two candidates, each of one run."""

    a: str
    b: str
    run_a: str
    run_b: str
    differs: tuple[Change, ...]
    confounded: bool
    """Different models under different templates: the difference is of neither alone."""
    notes: tuple[str, ...]
    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sides:
    """Both frames, the candidates' codes in them, and whether they are one run."""

    frames: tuple[Frame, Frame]
    codes: tuple[int, int]


def compare_candidates(
    workspace: Workspace,
    *,
    run_a: str,
    run_b: str,
    a: str,
    b: str,
    allow: Collection[str] = (),
) -> Compared:
    """Compare candidate `a` of `run_a` with candidate `b` of `run_b`.

    Args:
        workspace: where both runs are.
        run_a: id of the first run.
        run_b: id of the second run, which may be the same.
        a: candidate of the first.
        b: candidate of the second.
        allow: what may differ all the same: `scorers`, `targets` (of the samples).

    Raises:
        StoreError: no such run.
        UsageError: no such candidate in it, no scenario in common, or a
            scenario that was judged by other scorers.
    """
    _check_allowed(allow)
    first = load_frame(workspace, run_a)
    frames = first, first if run_a == run_b else load_frame(workspace, run_b)
    entries = _entry(frames[0], a), _entry(frames[1], b)
    names = [name for name in frames[0].scenarios if name in frames[1].scenarios]
    if not names:
        raise UsageError(
            f"runs {run_a} and {run_b} have no scenario in common",
            do="compare runs of the same project",
        )
    notes = [] if run_a == run_b else _refuse_or_note(workspace, frames, names, allow=allow)
    sides = _Sides(
        frames=frames, codes=(frames[0].candidates.index(a), frames[1].candidates.index(b))
    )
    found: list[tuple[Line, bytes]] = []
    for name in names:
        shared = shared_samples(workspace, *frames, name, same_targets="targets" not in allow)
        notes += shared.notes
        found += _lines(sides, name, shared)
    one, other = entries[0].candidate, entries[1].candidate
    return Compared(
        a=a,
        b=b,
        run_a=run_a,
        run_b=run_b,
        differs=changes(one, other),
        confounded=_templates_differ(frames, entries, names)
        and (one.target, one.model) != (other.target, other.model),
        notes=(*notes, *served_notes(*frames, a, b)),
        lines=_corrected(found),
    )


def _check_allowed(allow: Collection[str]) -> None:
    for name in allow:
        if name not in ALLOWED:
            raise UsageError(
                f"'{name}' is nothing that may be allowed to differ",
                why=f"{nearest(name, list(ALLOWED))}known: {', '.join(ALLOWED)}",
            )


def _refuse_or_note(
    workspace: Workspace,
    frames: tuple[Frame, Frame],
    names: Sequence[str],
    *,
    allow: Collection[str],
) -> list[str]:
    differing = [name for name in names if scorers_differ(workspace, *frames, name)]
    if differing and "scorers" not in allow:
        raise UsageError(
            f"the two runs were judged by different scorers in {', '.join(differing)}",
            why="a difference would be of the scorers as much as of the candidates",
            do="befit score both runs, or ask for it by name: --allow scorers",
        )
    notes = [f"{name}: the scorers differ between the runs" for name in differing]
    versions = {frame.manifest.befit_version for frame in frames}
    if len(versions) > 1:
        notes.append(f"the runs were made by befit {' and '.join(sorted(versions))}")
    return notes


def _templates_differ(
    frames: tuple[Frame, Frame],
    entries: tuple[ManifestCandidate, ManifestCandidate],
    names: Sequence[str],
) -> bool:
    templates = [
        {
            s.spec.name: s.spec.resolved_template(entry.candidate.prompt)
            for s in frame.manifest.scenarios
        }
        for frame, entry in zip(frames, entries, strict=True)
    ]
    return any(templates[0][name] != templates[1][name] for name in names)


def _entry(frame: Frame, name: str) -> ManifestCandidate:
    for entry in frame.manifest.candidates:
        if entry.candidate.name == name:
            return entry
    raise UsageError(
        f"run {frame.manifest.id} has no candidate '{name}'",
        why=f"it has: {', '.join(frame.candidates)}",
    )


def _lines(sides: _Sides, scenario: str, shared: Shared) -> list[tuple[Line, bytes]]:
    code = sides.frames[0].scenarios.index(scenario)
    spec = specs(sides.frames[0])[code]
    metrics = [*headlines_of(sides.frames[0], spec.dimension, (code,))]
    if all(headline.score != "pass" for headline in metrics):
        metrics.append(Headline(score="pass", title="Pass rate"))
    return [_line(sides, scenario, headline=h, shared=shared) for h in metrics]


def _line(
    sides: _Sides, scenario: str, *, headline: Headline, shared: Shared
) -> tuple[Line, bytes]:
    """Return the line, and what its differences are: two of the same are one test."""
    items = [
        item_means(frame, (frame.scenarios.index(scenario),), headline.score)
        for frame in sides.frames
    ]
    columns = [_columns(frame, own, shared) for frame, own in zip(sides.frames, items, strict=True)]
    means = [
        np.where(at >= 0, own.mean[code][at], np.nan)
        for own, code, at in zip(items, sides.codes, columns, strict=True)
    ]
    both = ~np.isnan(means[0]) & ~np.isnan(means[1])
    trials = sum(
        int(own.n_trials[code][at[both]].sum())
        for own, code, at in zip(items, sides.codes, columns, strict=True)
    )
    frame, first = sides.frames[0], items[0]
    codes = first.samples[columns[0]] if len(first.samples) else first.samples
    found = paired_difference(
        means[0],
        means[1],
        binary_single=all(own.single for own in items),
        rng=np.random.default_rng(0),
        clusters=None if first.clusters is None else frame.cluster[codes],
        weights=None if first.weights is None else frame.weight[codes],
    )
    line = Line(
        scenario=scenario,
        metric=headline.score,
        metric_title=headline.title,
        difference=replace(found.estimate, n_trials=trials),
        p_value=found.p_value,
        p_adjusted=None,
        verdict="not distinguishable",
    )
    return line, scenario.encode() + b"\0" + (means[0] - means[1]).tobytes()


def _columns(frame: Frame, items: Items, shared: Shared) -> Ints:
    """Return the column of each shared sample among the items, -1 where it has none."""
    places = {frame.samples[code].id: at for at, code in enumerate(items.samples.tolist())}
    return np.array([places.get(name, -1) for name in shared.ids], dtype=np.int64)


def _corrected(lines: Sequence[tuple[Line, bytes]]) -> tuple[Line, ...]:
    """Put Holm's p over all lines; metrics that are the same number by number are one test."""
    tested = {told: line.p_value for line, told in lines if line.p_value is not None}
    adjusted = dict(zip(tested, holm(list(tested.values())).tolist(), strict=True))
    found: list[Line] = []
    for line, told in lines:
        p = None if line.p_value is None else adjusted[told]
        verdict = "not distinguishable"
        if p is not None and p <= ALPHA:
            verdict = "better" if (line.difference.value or 0.0) > 0 else "worse"
        found.append(replace(line, p_adjusted=p, verdict=verdict))
    return tuple(found)
