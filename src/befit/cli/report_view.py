"""The report in the terminal: conclusion, matrix, differences, what is missing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from befit.charts.numbers import estimate_text
from befit.cli.words import money, show_table
from befit.core.estimate import THIN
from befit.report.decision import headlines
from befit.report.html_charts import per_thousand
from befit.report.load_charts import says
from befit.report.numbers import counts, interval, percent, points, share
from befit.report.open_pairs import explained, is_corrected, reason_of
from befit.report.people import adjudication, headline, win_rates
from befit.report.screening_words import screening_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from befit.analysis.results import MatrixRow
    from befit.cli.shell import Shell
    from befit.report.document import Document

MOST_FINDINGS = 12


def show_report(shell: Shell, document: Document) -> None:
    """Print the report's main parts to stdout."""
    origin, analysis = document.provenance, document.analysis
    shell.data(
        f"{document.title}  run {origin.run_id} ({origin.status})  {origin.created_at}  "
        f"{origin.n_candidates} candidates, {origin.n_samples} samples, {origin.n_trials} trials\n"
    )
    if document.decision is not None:
        record = document.decision_record or "not recorded; befit decide records it"
        shell.data(f"Decision ({record})")
        for line in headlines(document.decision):
            shell.data(f"  - {line}")
        shell.data("")
    for result in document.people:
        shell.data(f"Review by people, study {result.study.id}")
        for said in (headline(result), win_rates(result), adjudication(result)):
            if said:
                shell.data(f"  - {said}")
    shell.data("What the evidence says")
    for line in (*document.conclusion, *screening_line(document.manifest.screening)):
        shell.data(f"  - {line}")
    shell.data("\nWhat is missing or weak")
    for finding in analysis.findings[:MOST_FINDINGS]:
        do = f" ({finding.do})" if finding.do else ""
        shell.data(f"  {finding.severity:<8}{finding.text}{do}")
    if len(analysis.findings) > MOST_FINDINGS:
        shell.data(f"  and {len(analysis.findings) - MOST_FINDINGS} more in the HTML report")
    shell.data("")
    show_rows(shell, "Capability matrix", analysis.dimension_rows)
    show_differences(shell, analysis.dimension_rows)
    show_rows(shell, "Pass rate per scenario", analysis.scenario_rows)
    show_stability(shell, document)
    show_engineering(shell, document)


def show_rows(shell: Shell, title: str, rows: Sequence[MatrixRow]) -> None:
    """Print one line per row and candidate, the interval in its own column."""
    lines = [
        [
            row.title + (" !" if row.critical else ""),
            row.metric_title,
            f"{cell.candidate} {cell.letters}".strip(),
            "—"
            if cell.estimate.value is None
            else f"{share(cell.estimate.value, cell.estimate)} %",
            cell.estimate.method if cell.estimate.value is None else f"[{interval(cell.estimate)}]",
            counts(cell.estimate) + (" thin" if cell.thin else ""),
            {True: "below", False: "met", None: ""}[cell.below_gate],
        ]
        for row in rows
        for cell in row.cells
    ]
    header = ["row", "metric", "candidate", "value", "95 % interval", "n", "threshold"]
    show_table(shell, header, lines, title=title, numeric=(3, 4), least=(6,))
    shell.data(f"! critical; a shared letter: cannot be told apart in that row; thin: n < {THIN}\n")


def show_differences(shell: Shell, rows: Sequence[MatrixRow]) -> None:
    """Print all paired differences, Holm-adjusted within a row of several."""
    lines = [
        [
            f"{row.title} ({row.metric_title})",
            f"{d.a} - {d.b}",
            points(d.estimate),
            "—" if d.p_adjusted is None else f"{d.p_adjusted:.3f}",
            ("not compared" if d.estimate.value is None else d.verdict.replace("_", " "))
            + (f" ({reason_of(d)})" if reason_of(d) else "")
            + (" (confounded)" if d.confounded_by else ""),
            "" if d.samples_needed is None else f"about {d.samples_needed}",
        ]
        for row in rows
        for d in row.differences
    ]
    if lines:
        p = "p (Holm)" if is_corrected(rows) else "p"
        header = ["row", "pair", "points", p, "verdict", "samples to settle"]
        show_table(shell, header, lines, title="Paired differences", numeric=(2, 3), least=(5, 3))
        for words in explained(reason_of(d) for row in rows for d in row.differences):
            shell.data(words)
        shell.data("")


def show_stability(shell: Shell, document: Document) -> None:
    """Print consistency over repeats beside accuracy."""
    lines = [
        [
            cell.scenario,
            cell.candidate,
            percent(cell.agreement),
            percent(cell.pass_all),
            percent(cell.accuracy),
            str(len(cell.flip_flops)),
            document.equality[cell.scenario],
        ]
        for cell in document.analysis.stability
    ]
    header = [
        "scenario",
        "candidate",
        "result consistency",
        "pass^3",
        "accuracy",
        "flip-flops",
        "same means",
    ]
    title = "Stability over repeats"
    show_table(shell, header, lines, title=title, numeric=(5,), least=(6, 4))
    shell.data("")


def show_engineering(shell: Shell, document: Document) -> None:
    """Print latency, length, cost and failures per candidate, and what was measured beside."""
    analysis = document.analysis
    cells = [cell for cell in analysis.engineering if cell.scenario is None]
    lines = [
        [
            cell.candidate,
            estimate_text(cell.first_token_p50, "seconds"),
            estimate_text(cell.latency_p50, "seconds"),
            estimate_text(cell.latency_p95, "seconds"),
            estimate_text(cell.output_tokens_p50, "tokens"),
            estimate_text(per_thousand(cell.cost_per_task), "usd"),
            estimate_text(per_thousand(cell.cost_per_success), "usd"),
            estimate_text(cell.cost_per_month, "usd") if cell.tasks_per_month else "—",
            percent(cell.missing_rate),
        ]
        for cell in cells
    ]
    header = [
        "candidate",
        "first token p50",
        "latency p50",
        "latency p95",
        "output tokens p50",
        "per 1,000 tasks",
        "per 1,000 successes",
        "a month",
        "missing",
    ]
    show_table(shell, header, lines, title="Engineering", least=(4, 1, 8, 7, 5, 2))
    for judge in analysis.judge_costs:
        shell.data(
            f"judge {judge.judge} on {judge.scenario}, apart: {money(judge.cost)} "
            f"for {judge.calls:,} verdicts"
        )
    for result in document.loads:
        shell.data(f"{result.candidate} on {result.scenario} under load: {says(result)[0]}")
    for edge in document.edges:
        broken = f"breaks: {edge.breaks[0]}" if edge.breaks else "nothing known to break"
        kept = "quality not measured"
        if edge.quality:
            kept = f"keeps {estimate_text(edge.quality[0].retention, 'percent')} of the quality"
        shell.data(f"{edge.primary} -> {edge.fallback}: {broken}; {kept}")
