"""What is missing or weak in the evidence: it stands before the evidence in every report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime

import numpy as np

from befit.analysis.frame import MISSING, Frame
from befit.analysis.matrix import specs
from befit.analysis.odd_counts import odd_counts
from befit.analysis.results import COVERAGE, IN_CLUSTERS, Finding, MatrixRow, StabilityCell
from befit.core.estimate import THIN
from befit.core.written import many
from befit.stats.power import smallest_detectable

OLD_PRICE = 30
"""Days after which a price list is called old."""
LEAST_REPEATS = 3


def findings(
    frame: Frame,
    rows: Sequence[MatrixRow],
    stability: Sequence[StabilityCell],
    *,
    planned: int,
    also: Sequence[Finding] = (),
) -> tuple[Finding, ...]:
    """Return all findings, the missing before the weak before the notes.

    Args:
        frame: the run.
        rows: the dimension rows of the matrix.
        stability: the stability cells.
        planned: slots the run was to fill.
        also: what was found elsewhere.
    """
    gaps = _gaps(frame, planned)
    found = [
        *_coverage(frame, planned),
        *_unranked(rows, do=gaps),
        *_thin(frame),
        *_undecided(rows, do=gaps),
        *_stability(stability),
        *_silent_settings(frame),
        *_scenarios(frame),
        *_unscored(frame),
        *_costs(frame),
        *odd_counts(frame),
        *_old_prices(frame),
        *_served(frame),
        *_confounded(rows),
        *_reused(frame),
        *_scored_again(frame),
        *also,
    ]
    return in_order(found)


_MEND = (
    "the project's own turns or world are at fault: befit show SAMPLE says how; mend them, then"
    " run the same command again"
)


def _gaps(frame: Frame, planned: int) -> str:
    """Return what mends a lack of values: another run, unless every trial is answered."""
    if len(frame.candidate) < planned or bool((frame.status == MISSING).any()):
        return "run the same command again to fill the gaps"
    return "every trial is answered, but not scored: befit show SAMPLE says why"


def in_order(found: Iterable[Finding]) -> tuple[Finding, ...]:
    """Return findings, the missing before the weak before the notes."""
    order = {"missing": 0, "weak": 1, "note": 2}
    return tuple(sorted(found, key=lambda finding: order[finding.severity]))


def _coverage(frame: Frame, planned: int) -> Iterator[Finding]:
    filled = len(frame.candidate)
    if filled < planned:
        yield Finding(
            severity="missing",
            text=f"{planned - filled:,} of {planned:,} planned trials have not been run.",
            do="run the same command again; it goes on where it stopped",
        )
    lost = frame.status == MISSING
    for code, name in enumerate(frame.candidates):
        mask = lost & (frame.candidate == code)
        count, total = int(mask.sum()), int((frame.candidate == code).sum())
        if not count:
            continue
        kinds = Counter(frame.failures[kind] for kind in frame.failure[mask])
        causes = ", ".join(f"{kind} {n}" for kind, n in kinds.most_common(3))
        yield Finding(
            severity="missing" if count > (1 - COVERAGE) * total else "weak",
            text=f"{name}: {count:,} of {total:,} trials "
            f"{'is' if count == 1 else 'are'} missing ({causes}), counted as such, never as wrong.",
            do=_MEND if kinds["scripted_turn"] else "run the same command again to retry them",
        )


def _unranked(rows: Sequence[MatrixRow], *, do: str) -> Iterator[Finding]:
    left_out: dict[str, list[str]] = {}
    for row in rows:
        for cell in row.cells:
            # Where nothing is missing, what the metric asks did not occur: there is no gap.
            gap = cell.estimate.value is not None or cell.estimate.n_missing > 0
            if gap and row.rank_sets and cell.candidate not in row.rank_sets:
                left_out.setdefault(cell.candidate, []).append(f"{row.title} ({row.metric_title})")
    for candidate, titles in left_out.items():
        yield Finding(
            severity="missing",
            text=f"{candidate} is not ranked in {_some(titles)}: it has values for less than "
            f"{100 * COVERAGE:.0f} % of the planned samples.",
            do=do,
        )


def _some(names: Sequence[str], *, most: int = 4) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return "; ".join(names[:most]) + more


def _thin(frame: Frame) -> Iterator[Finding]:
    for code, name in enumerate(frame.scenarios):
        n = int((frame.home == code).sum())
        if 0 < n < THIN:
            gap = smallest_detectable(n)
            seen = (
                "no gap is large enough to be seen"
                if gap is None
                else f"gaps under {100 * gap:.0f} points cannot be seen (80 % power)"
            )
            yield Finding(
                severity="weak",
                text=f"{name} has {many(n, 'sample')}: {seen}.",
                do="add samples",
            )


def _undecided(rows: Sequence[MatrixRow], *, do: str) -> Iterator[Finding]:
    for row in rows:
        compared = [d for d in row.differences if d.estimate.value is not None]
        if len(compared) < len(row.differences):
            gaps = any(cell.estimate.n_missing for cell in row.cells)
            yield Finding(
                severity="missing" if gaps else "note",
                text=f"{row.title} ({row.metric_title}): {len(row.differences) - len(compared)} of "
                f"{len(row.differences)} pairs are not compared: there is no sample that both "
                "have a score on.",
                do=do if gaps else "",
            )
        open_pairs = [d for d in compared if d.verdict == "not_distinguishable"]
        needed = [d.samples_needed for d in open_pairs if d.samples_needed]
        if not open_pairs:
            continue
        more = f"; the easiest to settle needs about {min(needed):,} samples" if needed else ""
        more += f" {IN_CLUSTERS}" if needed and any(d.clustered for d in open_pairs) else ""
        yield Finding(
            severity="weak" if row.critical else "note",
            text=f"{row.title} ({row.metric_title}): {len(open_pairs)} of {len(compared)} "
            f"pairs cannot be told apart{more}.",
        )


_STEADY = {
    "seed:": "set run.seed to a number",
    # Repeats are planned, but their answers are missing.
    "no": "run the same command again to fill the gaps",
}
"""First word of why stability is not measured -> what mends it, where more repeats do not."""


def _stability(cells: Sequence[StabilityCell]) -> Iterator[Finding]:
    reasons: dict[str, list[str]] = {}
    for cell in cells:
        if cell.agreement.value is None:
            reasons.setdefault(cell.agreement.method, []).append(
                f"{cell.candidate} on {cell.scenario}"
            )
    for reason, where in reasons.items():
        yield Finding(
            severity="missing",
            text=f"Stability is not measured ({reason}): {_some(where)}.",
            do=_STEADY.get(reason.partition(" ")[0], f"set repeats to {LEAST_REPEATS} or more"),
        )


def _silent_settings(frame: Frame) -> Iterator[Finding]:
    for entry in frame.manifest.candidates:
        sampling = entry.candidate.sampling
        unset = [
            key for key in ("temperature", "top_p", "max_tokens") if getattr(sampling, key) is None
        ]
        if unset:
            yield Finding(
                severity="note",
                text=f"{entry.candidate.name}: {', '.join(unset)} left to the provider default, "
                "which can change without notice.",
                do="set them in the project file",
            )


def _scenarios(frame: Frame) -> Iterator[Finding]:
    for spec in specs(frame):
        if not spec.failure_modes:
            yield Finding(
                severity="note",
                text=f"{spec.name} names no failure modes; all its failures count as other.",
                do="add failure_modes to the scenario",
            )
        if not spec.success:
            yield Finding(
                severity="note",
                text=f"{spec.name} does not state its success criteria in words.",
                do="add success to the scenario",
            )


def _unscored(frame: Frame) -> Iterator[Finding]:
    unscored = np.isnan(frame.passed) & (frame.status != MISSING)
    if unscored.any():
        yield Finding(
            severity="missing",
            text=f"{many(int(unscored.sum()), 'answer')} could not be scored: "
            "counted neither as right nor as wrong.",
            do="befit show the sample to see why",
        )


def _costs(frame: Frame) -> Iterator[Finding]:
    for entry in frame.manifest.candidates:
        if entry.price is None:
            yield Finding(
                severity="missing",
                text=f"{entry.candidate.name}: price unknown, so its cost is unknown (not 0).",
                do="add price to the candidate",
            )


def _old_prices(frame: Frame) -> Iterator[Finding]:
    made = datetime.fromisoformat(frame.manifest.created_at).date()
    for entry in frame.manifest.candidates:
        price = entry.price
        if price is not None and price.as_of and (made - price.as_of).days > OLD_PRICE:
            yield Finding(
                severity="note",
                text=f"{entry.candidate.name}: the price is as of {price.as_of}, more than "
                f"{OLD_PRICE} days before the run.",
                do="state price in the project file, or update genai-prices",
            )


def _reused(frame: Frame) -> Iterator[Finding]:
    count = int(frame.reused.sum())
    if count:
        yield Finding(
            severity="note",
            text=f"{count:,} of {len(frame.reused):,} answers "
            f"{'was' if count == 1 else 'were'} reused from earlier runs: no cost here, and no "
            "latency is counted.",
            do="befit run --label NAME measures them anew",
        )


def _scored_again(frame: Frame) -> Iterator[Finding]:
    """Say what the run was judged by before, where it was scored again by something else; once."""
    times: Counter[str] = Counter()
    for past in frame.manifest.amendments:
        told = []
        for before in past.scenarios:
            name = before.spec.name
            count = past.samples_changed.get(name, 0)
            told.append(f"{name} ({many(count, 'sample')} judged anew)" if count else name)
        said = f"Scored again on {past.at[:10]} with other targets, scorers or criteria"
        times[f"{said}: {_some(told)}"] += 1
    for text, count in times.items():
        yield Finding(
            severity="note",
            text=f"{text}." if count == 1 else f"{text}; {count} times.",
            do="befit show SAMPLE tells the earlier target, befit runs --json the earlier scorers",
        )


def _served(frame: Frame) -> Iterator[Finding]:
    for code, name in enumerate(frame.candidates):
        served = np.unique(frame.served[(frame.candidate == code) & (frame.served >= 0)])
        if len(served) > 1:
            names = ", ".join(frame.served_models[one] for one in served)
            yield Finding(
                severity="weak",
                text=f"{name} was answered by {len(served)} different models: {names}.",
                do="pin the model version, or compare within one served model",
            )


def _confounded(rows: Sequence[MatrixRow]) -> Iterator[Finding]:
    pairs = {(d.a, d.b) for row in rows for d in row.differences if d.confounded_by}
    for a, b in sorted(pairs):
        yield Finding(
            severity="weak",
            text=f"{a} and {b} are different models under different templates: their difference "
            "is confounded.",
            do="use one template, or compare a model with itself under both",
        )
