"""Two candidates, or two runs, side by side on the samples they share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from befit.analysis.confounding import Change, changes
from befit.analysis.frame import Frame
from befit.analysis.items import item_means
from befit.analysis.matrix import headlines_of, specs
from befit.core.dimension import Headline
from befit.core.estimate import Estimate
from befit.core.run import ManifestCandidate
from befit.errors import UsageError
from befit.pipeline.analysing import load_frame
from befit.stats.multiplicity import holm
from befit.stats.paired import paired_difference
from befit.storage.workspace import Workspace

ALPHA = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One scenario and metric: A minus B on the samples both answered."""

    scenario: str
    metric: str
    metric_title: str
    difference: Estimate
    p_value: float | None
    p_adjusted: float | None
    """Holm over all lines."""
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


def compare_candidates(workspace: Workspace, *, run_a: str, run_b: str, a: str, b: str) -> Compared:
    """Compare candidate `a` of `run_a` with candidate `b` of `run_b`.

    Raises:
        StoreError: no such run.
        UsageError: no such candidate in it, or no scenario in common.
    """
    frames = load_frame(workspace, run_a), load_frame(workspace, run_b)
    entries = _entry(frames[0], a), _entry(frames[1], b)
    shared = [name for name in frames[0].scenarios if name in frames[1].scenarios]
    if not shared:
        raise UsageError(
            f"runs {run_a} and {run_b} have no scenario in common",
            do="compare runs of the same project",
        )
    found = [line for name in shared for line in _lines(frames, name, a=a, b=b)]
    one, other = entries[0].candidate, entries[1].candidate
    differs = changes(one, other)
    by_name = {s.spec.name: s.spec for s in frames[0].manifest.scenarios}
    by_other = {s.spec.name: s.spec for s in frames[1].manifest.scenarios}
    templates = any(
        by_name[n].resolved_template(one.prompt) != by_other[n].resolved_template(other.prompt)
        for n in shared
    )
    return Compared(
        a=a,
        b=b,
        run_a=run_a,
        run_b=run_b,
        differs=differs,
        confounded=templates and (one.target, one.model) != (other.target, other.model),
        notes=_notes(frames, shared),
        lines=_corrected(found),
    )


def _entry(frame: Frame, name: str) -> ManifestCandidate:
    for entry in frame.manifest.candidates:
        if entry.candidate.name == name:
            return entry
    raise UsageError(
        f"run {frame.manifest.id} has no candidate '{name}'",
        why=f"it has: {', '.join(frame.candidates)}",
    )


def _lines(frames: tuple[Frame, Frame], scenario: str, *, a: str, b: str) -> list[Line]:
    codes = frames[0].scenarios.index(scenario), frames[1].scenarios.index(scenario)
    spec = specs(frames[0])[codes[0]]
    metrics = [*headlines_of(frames[0], spec.dimension, (codes[0],))]
    if all(headline.score != "pass" for headline in metrics):
        metrics.append(Headline(score="pass", title="Pass rate"))
    return [_line(frames, codes, headline=h, a=a, b=b) for h in metrics]


def _line(
    frames: tuple[Frame, Frame], codes: tuple[int, int], *, headline: Headline, a: str, b: str
) -> Line:
    left = item_means(frames[0], (codes[0],), headline.score)
    right = item_means(frames[1], (codes[1],), headline.score)
    rows = frames[0].candidates.index(a), frames[1].candidates.index(b)
    ids_left = [frames[0].samples[code].id for code in left.samples]
    place = {frames[1].samples[code].id: i for i, code in enumerate(right.samples)}
    ids = sorted({*ids_left, *place})
    where = {name: i for i, name in enumerate(ids_left)}
    table = np.full((2, len(ids)), np.nan)
    for i, name in enumerate(ids):
        if name in where:
            table[0, i] = left.mean[rows[0], where[name]]
        if name in place:
            table[1, i] = right.mean[rows[1], place[name]]
    single = left.binary and right.binary and int(left.n_trials.max(initial=0)) <= 1
    trials = int(left.n_trials[rows[0]].sum() + right.n_trials[rows[1]].sum())
    found = paired_difference(
        table[0],
        table[1],
        binary_single=single,
        rng=np.random.default_rng(0),
        n_trials=trials,
    )
    return Line(
        scenario=frames[0].scenarios[codes[0]],
        metric=headline.score,
        metric_title=headline.title,
        difference=found.estimate,
        p_value=found.p_value,
        p_adjusted=None,
        verdict="not distinguishable",
    )


def _corrected(lines: Sequence[Line]) -> tuple[Line, ...]:
    tested = [line.p_value for line in lines if line.p_value is not None]
    adjusted = iter(holm(tested).tolist())
    found: list[Line] = []
    for line in lines:
        p = None if line.p_value is None else next(adjusted)
        verdict = "not distinguishable"
        if p is not None and p <= ALPHA:
            verdict = "better" if (line.difference.value or 0.0) > 0 else "worse"
        found.append(replace(line, p_adjusted=p, verdict=verdict))
    return tuple(found)


def _notes(frames: tuple[Frame, Frame], shared: Sequence[str]) -> tuple[str, ...]:
    """Say where the two runs did not measure the same thing."""
    notes: list[str] = []
    sides = [{s.spec.name: s for s in frame.manifest.scenarios} for frame in frames]
    for name in shared:
        left, right = sides[0][name], sides[1][name]
        if left.set_version != right.set_version:
            notes.append(
                f"{name}: the sample sets differ ({left.set_version}, {right.set_version}); "
                "only samples that both runs have are compared"
            )
        if left.spec.scorers != right.spec.scorers:
            notes.append(f"{name}: the scorers differ between the runs")
    return tuple(notes)
