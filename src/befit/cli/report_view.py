"""The report in the terminal: conclusion, matrix, differences, what is missing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from befit.cli.called import THEMSELVES, Called, called_in
from befit.cli.words import fits, money, show_note, show_table
from befit.core.estimate import THIN
from befit.core.written import many
from befit.report.decision import headlines, stale_sentence
from befit.report.decision_votes import beside_decision
from befit.report.figures import (
    COSTS,
    COUNTED_ONCE,
    FIELD,
    FIELDS,
    LENGTHS,
    RATES,
    STABILITY,
    TIMES,
    USABILITY,
    all_fields,
    beside,
    each_field,
    overall,
    priced_as_asked,
    stands,
    texts,
    weighing,
    weighted,
)
from befit.report.numbers import counts, interval, p_text, percent, points, share
from befit.report.open_pairs import explained, is_corrected, reason_of, unranked
from befit.report.people import adjudication, headline, win_rates
from befit.report.screening_words import screening_line
from befit.report.stress import TITLE, stress

if TYPE_CHECKING:
    from collections.abc import Sequence

    from befit.analysis.results import Analysis, FailureCount, FurtherScore, MatrixRow
    from befit.cli.shell import Shell
    from befit.core.estimate import Estimate
    from befit.report.document import Document
    from befit.report.figures import Figure

MOST_FINDINGS = 12
MOST_FURTHER = 40
MOST_FAILURES = 40
MOST_FIELDS = 40


def show_report(shell: Shell, document: Document) -> None:
    """Print the report's main parts to stdout."""
    origin, analysis = document.provenance, document.analysis
    shell.data(
        f"{document.title}  run {origin.run_id} ({origin.status})  {origin.created_at}  "
        f"{many(origin.n_candidates, 'candidate')}, {many(origin.n_samples, 'sample')}, "
        f"{many(origin.n_trials, 'trial')}\n"
    )
    if document.decision is not None:
        record = document.decision_record or "not recorded; befit decide records it"
        shell.data(f"Decision ({record})")
        for line in headlines(document.decision):
            shell.data(f"  - {line}")
        if document.policy_since:
            shell.data(f"  - {stale_sentence(document.policy_since)}")
        shell.data("")
    for result in document.people:
        shell.data(f"Review by people, study {result.study.id}")
        rates = win_rates(result)
        named = f"win rate by people: {rates}" if rates else ""
        beside = beside_decision(document.decision, result)
        for said in (headline(result), beside, named, adjudication(result)):
            if said:
                shell.data(f"  - {said}")
    shell.data("What the evidence says")
    for line in (*document.conclusion, *screening_line(document.manifest.screening)):
        shell.data(f"  - {line}")
    show_stress(shell, analysis)
    shell.data("\nWhat is missing or weak")
    for finding in analysis.findings[:MOST_FINDINGS]:
        do = f" ({finding.do})" if finding.do else ""
        shell.data(f"  {finding.severity:<8}{finding.text}{do}")
    if len(analysis.findings) > MOST_FINDINGS:
        shell.data(f"  and {len(analysis.findings) - MOST_FINDINGS} more in the HTML report")
    shell.data("")
    called = called_in(shell, analysis.candidates)
    show_rows(shell, "Capability matrix", analysis.dimension_rows, called=called)
    _show_weighing(shell, analysis)
    show_differences(shell, analysis.dimension_rows, called=called)
    show_rows(shell, "Pass rate per scenario", analysis.scenario_rows, called=called)
    show_further(shell, analysis.further, called=called)
    show_failures(shell, analysis.failures, called=called)
    show_stability(shell, document, called=called)
    show_engineering(shell, document, called=called)


def _show_weighing(shell: Shell, analysis: Analysis) -> None:
    """Say where samples have weights, so that no rate is what one counts."""
    if words := weighing(analysis):
        show_note(shell, words)
        shell.data("")


def show_stress(shell: Shell, analysis: Analysis) -> None:
    """Print what the curves of the page say."""
    told = stress(analysis, most=MOST_FINDINGS)
    if not told.lines:
        return
    shell.data(f"\n{TITLE}")
    for line in told.lines:
        shell.data(f"  - {line}")
    if told.more:
        shell.data(f"  and {told.more} more in the HTML report")


def show_rows(
    shell: Shell, title: str, rows: Sequence[MatrixRow], *, called: Called = THEMSELVES
) -> None:
    """Print one line per row and candidate, the interval in its own column."""
    lines = [
        [
            row.title + (" !" if row.critical else ""),
            row.metric_title,
            f"{called[cell.candidate]} {cell.letters}".strip(),
            *_valued(cell.estimate, below=cell.below_gate, thin=cell.thin),
        ]
        for row in rows
        for cell in row.cells
    ]
    header = ["row", "metric", "candidate", "value", "95 % interval", "n", "threshold"]
    show_table(shell, header, lines, title=title, numeric=(3, 4), least=_least(lines, 1, 5))
    shell.data(f"! critical; a shared letter: cannot be told apart in that row; thin: n < {THIN}\n")


def _valued(estimate: Estimate, *, below: bool | None, thin: bool = False) -> list[str]:
    """Return value, interval, n and threshold of a score, or why it has none."""
    known = estimate.value is not None
    return [
        "—" if estimate.value is None else f"{share(estimate.value, estimate)} %",
        f"[{interval(estimate)}]" if known else estimate.method,
        counts(estimate) + (" thin" if thin else ""),
        {True: "below", False: "met", None: ""}[below],
    ]


def _least(lines: Sequence[Sequence[str]], *others: int) -> tuple[int, ...]:
    """Return the columns to drop first: the last one, unless a value is below its threshold."""
    last = len(lines[0]) - 1 if lines else 0
    return (*others, last) if any(line[last] == "below" for line in lines) else (last, *others)


def show_further(
    shell: Shell, scores: Sequence[FurtherScore], *, called: Called = THEMSELVES
) -> None:
    """Print the scores that stand in no row of the matrix, the first of many."""
    if not scores:
        return
    lines = [
        [
            one.scenario,
            one.metric,
            called[one.candidate],
            *_valued(one.estimate, below=one.below_gate),
        ]
        for one in scores[:MOST_FURTHER]
    ]
    header = ["scenario", "score", "candidate", "value", "95 % interval", "n", "threshold"]
    show_table(shell, header, lines, title="Further scores", numeric=(3, 4), least=_least(lines, 5))
    if len(scores) > MOST_FURTHER:
        shell.data(f"and {len(scores) - MOST_FURTHER} more in the HTML, JSON and CSV reports")
    shell.data("")


def show_failures(
    shell: Shell, failures: Sequence[FailureCount], *, called: Called = THEMSELVES
) -> None:
    """Print how often each candidate failed in which way, the most frequent first."""
    if not failures:
        return
    lines = [
        [
            one.scenario,
            called[one.candidate],
            one.mode,
            f"{one.count:,} of {one.share.n_trials:,}",
            percent(one.share) + weighted(one.share),
        ]
        for one in failures[:MOST_FAILURES]
    ]
    header = ["scenario", "candidate", "failure", "of scored", "share"]
    show_table(shell, header, lines, title="Failures by mode", numeric=(3,))
    show_note(shell, COUNTED_ONCE)
    if len(failures) > MOST_FAILURES:
        shell.data(f"and {len(failures) - MOST_FAILURES} more in the HTML, JSON and CSV reports")
    shell.data("")


def show_differences(
    shell: Shell, rows: Sequence[MatrixRow], *, called: Called = THEMSELVES
) -> None:
    """Print all paired differences, Holm-adjusted within a row of several."""
    lines = [
        [
            f"{row.title} ({row.metric_title})",
            f"{called[d.a]} - {called[d.b]}",
            points(d.estimate),
            p_text(d.p_adjusted) or "—",
            f"{d.estimate.n_samples:,}",
            ("not compared" if d.estimate.value is None else d.verdict.replace("_", " "))
            + (f" ({unranked(d) or reason_of(d)})" if unranked(d) or reason_of(d) else "")
            + (" (confounded)" if d.confounded_by else ""),
            d.settling,
        ]
        for row in rows
        for d in row.differences
    ]
    if lines:
        p = "p (Holm)" if is_corrected(rows) else "p"
        header = ["row", "pair", "points", p, "n", "verdict", "samples to settle"]
        title = "Paired differences (n: samples that both have)"
        show_table(shell, header, lines, title=title, numeric=(2, 3, 4), least=(6, 3))
        for words in explained(reason_of(d) for row in rows for d in row.differences):
            show_note(shell, words)
        shell.data("")


def show_stability(shell: Shell, document: Document, *, called: Called = THEMSELVES) -> None:
    """Print capability beside usability, and consistency over repeats beside accuracy."""
    analysis = document.analysis
    usable = [([cell.scenario, called[cell.candidate]], cell) for cell in analysis.usability]
    _show(shell, "Capability and usability", USABILITY, usable)
    header = ["scenario", "candidate", *(one.name for one in STABILITY), "n", "same means"]
    lines = [
        [
            cell.scenario,
            called[cell.candidate],
            *_told(STABILITY, cell),
            document.equality[cell.scenario],
        ]
        for cell in analysis.stability
    ]
    show_table(shell, header, lines, title="Stability over repeats", least=(8, 5, 4, 6))
    shell.data("")
    fields = [([cell.scenario, called[cell.candidate]], cell) for cell in all_fields(analysis)]
    if fields:
        _show(shell, "Extraction, all fields", FIELDS, fields)
    single = [([c.scenario, c.field or "", called[c.candidate]], c) for c in each_field(analysis)]
    if single:
        names = ("scenario", "field", "candidate")
        _show(shell, "Extraction, field by field", FIELD, single[:MOST_FIELDS], names=names)
    if len(single) > MOST_FIELDS:
        shell.data(f"and {len(single) - MOST_FIELDS} more in the HTML and JSON reports\n")


def _show(
    shell: Shell,
    title: str,
    figures: Sequence[Figure],
    cells: Sequence[tuple[list[str], object]],
    *,
    names: Sequence[str] = ("scenario", "candidate"),
) -> None:
    """Print figures of cells; on a narrow terminal as several tables below each other."""
    if not cells:
        return
    rows = [[*who, *_told(figures, cell)] for who, cell in cells]
    if names[0] == "scenario" and not fits(
        shell, [*names, *(one.name for one in figures), "n"], rows, names=len(names)
    ):
        for place in dict.fromkeys(who[0] for who, _ in cells):
            own = [(who[1:], cell) for who, cell in cells if who[0] == place]
            _show(shell, f"{title}: {place}", figures, own, names=names[1:])
        return
    rest = list(figures)
    while rest:
        for first in range(len(rest), 0, -1):
            header = [*names, *(one.name for one in rest[:first]), "n"]
            lines = [[*who, *_told(rest[:first], cell)] for who, cell in cells]
            if first == 1 or fits(shell, header, lines, names=len(names)):
                break
        show_table(shell, header, lines, title=title if len(rest) == len(figures) else "")
        rest = rest[first:]
        shell.data("")


def _told(figures: Sequence[Figure], cell: object) -> list[str]:
    """Return the figures of a cell and what they stand on."""
    return [*texts(figures, cell), stands(figures, cell).removeprefix("n = ")]


def show_engineering(shell: Shell, document: Document, *, called: Called = THEMSELVES) -> None:
    """Print latency, length, cost and failures per candidate, and what was measured beside."""
    analysis = document.analysis
    cells = overall(analysis)
    own = [([called[cell.candidate]], cell) for cell, _ in cells]
    if own:
        for title, figures in (
            ("Engineering", TIMES),
            ("Cost in USD", COSTS),
            ("Failed calls", RATES),
        ):
            _show(shell, title, figures, own, names=("candidate",))
    for line in priced_as_asked(analysis, document.manifest):
        shell.data(line)
    details = [([called[cell.candidate]], detail) for cell, detail in cells if detail is not None]
    if details:
        _show(shell, "Length and steadiness", LENGTHS, details, names=("candidate",))
    for judge in analysis.judge_costs:
        shell.data(
            f"judge {judge.judge} on {judge.scenario}, apart: {money(judge.cost)} "
            f"for {many(judge.calls, 'verdict')}"
        )
    for user in analysis.user_costs:
        unknown = f" ({user.unknown:,} unknown)" if user.unknown else ""
        shell.data(
            f"simulated user of {user.scenario} with {user.candidate}, apart: {money(user.cost)}"
            f" for {many(user.conversations, 'conversation')}{unknown}"
        )
    for line in beside(document):
        shell.data(line)
