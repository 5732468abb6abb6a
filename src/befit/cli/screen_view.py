"""A screening in the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from befit.cli.words import show_table
from befit.core.written import between, in_percent, many
from befit.report.numbers import p_text
from befit.report.screening_words import (
    LEVELS,
    OUTCOMES,
    anchors_of,
    chance,
    composite_text,
    disagreement_text,
    headline,
    line_text,
    names,
    native,
    saturation_text,
    scale_of,
    verdict_text,
)

if TYPE_CHECKING:
    from befit.cli.shell import Shell
    from befit.core.screening import Composite, Screening

MOST_MODELS = 60
MOST_ENTRIES = 12
MOST_LETTERS = 10


def show_screening(shell: Shell, found: Screening) -> None:
    """Print what the screening says, then its tables."""
    shell.data(f"Screening of {', '.join(found.tables)}, {found.made_on[:10]}\n")
    for line in headline(found):
        shell.data(f"  - {line}")
    shell.data("")
    _verdicts(shell, found)
    _benchmarks(shell, found)
    _groups(shell, found)
    for one in found.composites:
        _composite(shell, one)
    if found.disagreements:
        rows = [[f"{d.a} / {d.b}", disagreement_text(d)] for d in found.disagreements]
        show_table(shell, ["metrics", "disagree on"], rows, title="Where metrics disagree")
        shell.data("")
    _contamination(shell, found)
    for note in found.notes:
        shell.warn(note)


def _verdicts(shell: Shell, found: Screening) -> None:
    if not found.verdicts:
        return
    anchors = anchors_of(found)
    shown = [one.model for one in found.models][:MOST_MODELS]
    rows = [
        [v.model, v.on, native(v.estimate, scale_of(v, anchors)), line_text(v), verdict_text(v),
         v.noise]
        for v in found.verdicts
        if v.model in shown
    ]  # fmt: skip
    header = ["model", "on", "value [95 %]", "cut-off", "verdict", "noise"]
    show_table(shell, header, rows, title="Verdicts, in the order of the table", least=(5,))
    if len(found.models) > MOST_MODELS:
        shell.data(f"and {len(found.models) - MOST_MODELS} more models with --json")
    shell.data("")
    excluded = [
        [one.model, "; ".join(one.reasons)] for one in found.models if one.outcome == "excluded"
    ]
    if excluded:
        show_table(shell, ["model", "why"], excluded[:MOST_MODELS], title=OUTCOMES["excluded"])
        shell.data("")


def _benchmarks(shell: Shell, found: Screening) -> None:
    rows = [
        [
            info.name,
            str(info.n_models),
            "—" if info.items is None else f"{info.items:,}",
            info.skill or "",
            saturation_text(info),
            "—" if info.correlation is None else f"{info.correlation:.2f}",
            "saturated" if info.saturated else "",
        ]
        for info in found.benchmarks
    ]
    header = ["benchmark", "models", "items", "skill", "at the top", "rank corr.", ""]
    show_table(shell, header, rows, title="Benchmarks", numeric=(1, 2, 5), least=(3, 2))
    shell.data("")


def _groups(shell: Shell, found: Screening) -> None:
    rows = []
    for group in found.groups:
        told = [f"{e.model} {e.letters}" for e in group.entries if e.letters]
        if not told:
            continue
        within = [one for one in group.neighbours if one.within_noise is not None]
        inside = sum(bool(one.within_noise) for one in within)
        test = {"all": "paired", "some": "partly paired", "none": "unpaired !"}[group.paired]
        rows.append(
            [group.benchmark, names(told, MOST_LETTERS), f"{inside} of {len(within)}", test]
        )
    if rows:
        header = ["benchmark", "highest, with letters", "gaps within noise", "test"]
        show_table(shell, header, rows, title="Rank groups: a shared letter cannot be told apart")
        if any("!" in row[3] for row in rows):
            shell.data(
                "! no results per item: shared items make values rise and fall together, so the"
                " unpaired test sees less than a paired one would"
            )
        shell.data("")


def _composite(shell: Shell, one: Composite) -> None:
    rows = []
    for entry in one.entries[:MOST_ENTRIES]:
        value = f"{entry.low:.1f}"
        if entry.n_missing:
            value = f"{entry.low:.0f} to {entry.high:.0f} ({entry.n_missing} missing)"
        central = sorted(entry.central_weights.items(), key=lambda pair: -pair[1])[:2]
        rows.append(
            [
                entry.model,
                value,
                "—" if entry.p_first is None else chance(entry.p_first),
                "—" if entry.p_top3 is None else chance(entry.p_top3),
                "—" if entry.ranks is None else f"{entry.ranks[0]} to {entry.ranks[1]}",
                ", ".join(f"{name} {in_percent(weight)} %" for name, weight in central),
            ]
        )
    kind = "stated weights" if one.stated else "equal weights, nobody stated any"
    title = f"Composite “{one.name}”: {many(len(one.weights), 'benchmark')}, {kind}"
    header = ["model", "composite", "first", "top 3", "ranks", "wins when weight is on"]
    show_table(shell, header, rows, title=title, numeric=(2, 3), least=(5,))
    shell.data(composite_text(one))
    if one.tau_mean is not None and one.tau_low is not None:
        shell.data(
            f"Kendall's tau of the stated ranking with drawn ones: {one.tau_mean:.2f} on average,"
            f" {one.tau_low:.2f} at the 5th percentile"
        )
    more = len(one.entries) - MOST_ENTRIES
    shell.data(f"{more} more models with --json\n" if more > 0 else "")


def _contamination(shell: Shell, found: Screening) -> None:
    rows = [
        [
            one.model,
            LEVELS[one.level],
            _points(one.gap.value, one.gap.low, one.gap.high),
            _points(
                one.beyond_references.value, one.beyond_references.low, one.beyond_references.high
            ),
            _points(one.date_split.value, one.date_split.low, one.date_split.high),
            p_text(one.p_value) or "—",
            "; ".join(one.signs),
        ]
        for one in found.contamination
    ]
    if rows:
        header = [
            "model",
            "evidence",
            "loss on perturbed",
            "beyond references",
            "newer items",
            "p",
            "signs",
        ]
        title = "Signs that public items were seen in training (points)"
        show_table(shell, header, rows, title=title, numeric=(5,), least=(6,))
        shell.data("")


def _points(value: float | None, low: float | None, high: float | None) -> str:
    if value is None:
        return "not measured"
    bounds = [None if x is None else f"{100 * x:+.0f}" for x in (low, high)]
    return f"{100 * value:+.0f} [{between(*bounds)}]"
