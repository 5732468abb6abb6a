"""The report in at most 60 lines of Markdown, for a pull request or a note."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence

from befit.analysis.results import APART, FurtherScore, MatrixRow, PairDifference
from befit.charts.text import plain
from befit.core.estimate import THIN
from befit.core.written import many
from befit.report.decision import (
    combination_sentence,
    headlines,
    outcome_words,
    stale_sentence,
    stands_sentence,
)
from befit.report.decision_votes import beside_decision
from befit.report.document import Document
from befit.report.figures import (
    CALL_LINES,
    COUNTED_ONCE,
    DETAIL_LINES,
    FIELD,
    FIELD_LINES,
    STABILITY,
    USABILITY,
    Figure,
    all_fields,
    beside,
    each_field,
    joined,
    overall,
    repeated,
    stands,
    weighing,
    weighted,
)
from befit.report.numbers import counts, p_text, percent, points
from befit.report.open_pairs import EXPLAINED, is_corrected, reason_of
from befit.report.people import headline
from befit.report.screening_words import screening_line
from befit.report.stress import TITLE, stress

MOST = 60
KEPT = 12
"""Lines that are kept for what can be told apart and what is missing."""
LEAST_FIGURES = 20
"""Lines that failures leave to the figures."""
HEAD = 7
"""Lines of the table of failures that are none of its rows."""
FIGURES_BESIDE = 14
"""Lines that further scores leave to the figures."""
FURTHER_HEAD = 5
"""Lines of the table of further scores that are none of its rows."""
MOST_FAILURES = 5
MOST_FURTHER, LEAST_FURTHER = 8, 3
MOST_REASONS = 3
MOST_STRESS = 10
_NOT_APART = {"not_distinguishable": "cannot be told apart", "not_ranked": "are not ranked"}
_SPECIAL = re.compile(r"([\\`*_{}\[\]<>|#~])")


def render(document: Document) -> str:
    """Return the Markdown text; names and model text in it are escaped."""
    origin = document.provenance
    spent = "unknown cost" if origin.spent is None else f"${origin.spent:.4g} spent"
    if origin.spent is not None and origin.unknown_cost_calls:
        spent += f" and the unknown cost of {origin.unknown_cost_calls} more"
    if origin.uncertain_cost:
        spent += f", at most ${origin.uncertain_cost:.4g} more for calls that told no cost"
    heading = "what the evidence says" if document.decision is None else "decision"
    lines = [
        f"## {escape(document.title)}: {heading}",
        "",
        (
            f"Run `{origin.run_id}`, {origin.created_at}, "
            f"{many(origin.n_candidates, 'candidate')}, {many(origin.n_samples, 'sample')}, "
            f"{many(origin.n_trials, 'trial')}, {spent}."
        ),
        "",
        *_decision(document),
        *[f"- {escape(line)}" for line in document.conclusion],
        *[f"- {escape(line)}" for line in screening_line(document.manifest.screening)],
        *[f"- {escape(line)}" for line in beside(document)[:4]],
        "",
        *_matrix(document),
        *_stress(document),
        *_people(document),
    ]
    findings = [f"- {f.severity}: {escape(f.text)}" for f in document.analysis.findings]
    differences = _differences(document)
    kept = min(KEPT, len(findings) + len(differences) + 4)
    lines += _failures(document, room=MOST - len(lines) - KEPT - LEAST_FIGURES)
    beside_them = min(FIGURES_BESIDE, len(_figures(document, room=MOST)))
    lines += _further(document, room=MOST - len(lines) - kept - beside_them)
    lines += _figures(document, room=MOST - len(lines) - kept)
    room = MOST - len(lines) - 4
    lines += ["", *differences[: max(0, room // 2)]]
    room = MOST - len(lines) - 3
    shown = findings[: max(0, room)]
    lines += ["", "**What is missing or weak**", *shown]
    if len(shown) < len(findings):
        lines.append(f"- and {len(findings) - len(shown)} more in the full report")
    return "\n".join(lines[:MOST]) + "\n"


def _decision(document: Document) -> list[str]:
    """Return what was decided, before the evidence."""
    decision = document.decision
    if decision is None:
        return []
    record = f" (`{document.decision_record}`)" if document.decision_record else " (not recorded)"
    lines = [f"**{outcome_words(decision)}**{record}", ""]
    lines += [f"- {escape(line)}" for line in headlines(decision)[:8]]
    if document.policy_since:
        lines.append(f"- {escape(stale_sentence(document.policy_since))}")
    lines += [
        f"- {escape(combination_sentence(decision))}",
        f"- {escape(stands_sentence(decision))}",
    ]
    return [*lines, "", "**What the evidence says**", ""]


def escape(text: str) -> str:
    """Return `text` inert in Markdown, on one line."""
    return _SPECIAL.sub(r"\\\1", plain(" ".join(text.split())))


def _matrix(document: Document) -> list[str]:
    names = [escape(name) for name in document.analysis.candidates]
    lines = [
        "| Dimension (metric) | " + " | ".join(names) + " |",
        "|---|" + "---|" * len(names),
    ]
    lines += [_row(row) for row in document.analysis.dimension_rows[:20]]
    lines.append("")
    lines.append(
        "Letters: candidates that share one cannot be told apart in that row; "
        f"thin: fewer than {THIN} samples."
    )
    if words := weighing(document.analysis):
        lines += ["", escape(words)]
    return lines


def _stress(document: Document) -> list[str]:
    """Return what the curves of the page say."""
    told = stress(document.analysis, most=MOST_STRESS)
    if not told.lines:
        return []
    lines = ["", f"**{TITLE}**", *[f"- {escape(line)}" for line in told.lines]]
    return [*lines, f"- and {told.more} more in the full report"] if told.more else lines


def _further(document: Document, *, room: int) -> list[str]:
    """Return the scores that stand in no row of the matrix; those that failed a limit come first.

    In a report of many lines a few scores stand, and how many there are besides.
    """
    found: dict[tuple[str, str], dict[str, FurtherScore]] = {}
    for one in sorted(document.analysis.further, key=lambda one: one.below_gate is not True):
        found.setdefault((one.scenario, one.metric), {})[one.candidate] = one
    if not found:
        return []
    shown = list(found.items())[: max(LEAST_FURTHER, min(MOST_FURTHER, room - FURTHER_HEAD))]
    more = len(found) - len(shown)
    names = document.analysis.candidates
    lines = [
        "",
        f"**Further scores**{f' ({more} more: HTML or --json)' if more else ''}",
        "",
        "| Score (scenario) | " + " | ".join(map(escape, names)) + " |",
        "|---|" + "---|" * len(names),
    ]
    for (scenario, metric), cells in shown:
        told = [_further_cell(cells[name]) if name in cells else "—" for name in names]
        lines.append(f"| {escape(f'{metric} ({scenario})')} | " + " | ".join(told) + " |")
    return lines


def _further_cell(one: FurtherScore) -> str:
    if one.estimate.value is None:
        return percent(one.estimate)
    limit = {True: ", below its threshold", False: ", met", None: ""}[one.below_gate]
    return f"{percent(one.estimate)} ({counts(one.estimate)}{limit})"


def _figures(document: Document, *, room: int) -> list[str]:
    """Return the figures beside the matrix by their names, as many lines as there is room for."""
    analysis = document.analysis
    calls = {cell.candidate: cell for cell, _ in overall(analysis)}
    details = {cell.candidate: cell for _, cell in overall(analysis) if cell is not None}
    wanted: list[tuple[str, Sequence[Figure], Mapping[str, object]]] = [
        *(("", figures, calls) for figures in CALL_LINES if calls),
        *(("", figures, details) for figures in DETAIL_LINES if details),
    ]
    fields, steady = all_fields(analysis), repeated(analysis)
    for name in dict.fromkeys(row.scenarios[0] for row in analysis.scenario_rows):
        own = {cell.candidate: cell for cell in fields if cell.scenario == name}
        wanted += [(name, figures, own) for figures in FIELD_LINES if own]
        again = {cell.candidate: cell for cell in steady if cell.scenario == name}
        wanted += [(name, STABILITY, again)] if again else []
        used = {cell.candidate: cell for cell in analysis.usability if cell.scenario == name}
        wanted += [(name, USABILITY, used)] if used else []
    singles: dict[tuple[str, str | None], dict[str, object]] = {}
    for cell in each_field(analysis):
        singles.setdefault((cell.scenario, cell.field), {})[cell.candidate] = cell
    wanted += [(f"{field} of {name}", FIELD, own) for (name, field), own in singles.items()]
    shown = wanted[: max(0, room - 4)]
    if not shown:
        return []
    names = analysis.candidates
    lines = [
        "",
        "| Figures | " + " | ".join(map(escape, names)) + " | n |",
        "|---|" + "---|" * (len(names) + 1),
    ]
    for place, figures, cells in shown:
        title = " / ".join(one.name for one in figures)
        title = f"{title[0].upper()}{title[1:]}" + (f" ({place})" if place else "")
        told = [joined(figures, cells[name]) if name in cells else "—" for name in names]
        on = [stands(figures, cells[name]) for name in names if name in cells]
        same = "; ".join(dict.fromkeys(one.removeprefix("n = ") for one in on if one))
        told.append(same or "—")
        lines.append(f"| {escape(title)} | " + " | ".join(map(escape, told)) + " |")
    if len(shown) < len(wanted):
        lines += ["", f"And {len(wanted) - len(shown)} more lines of figures in the full report."]
    return lines


def _people(document: Document) -> list[str]:
    """Return what people said, in a few lines for each study."""
    lines: list[str] = []
    for result in document.people[:2]:
        lines += ["", f"**Review by people** (study `{result.study.id}`)"]
        lines.append(f"- {escape(headline(result))}")
        if beside := beside_decision(document.decision, result):
            lines.append(f"- {escape(beside)}")
        if result.preference is not None:
            told = [
                f"{escape(one.candidate)} {percent(one.win_rate)} {one.letters}"
                for one in result.preference.strengths[:8]
            ]
            lines.append(f"- Win rate by people: {'; '.join(told)}")
        if result.agreement.alpha.value is not None:
            made = result.agreement
            lines.append(f"- Agreement of reviewers: alpha {made.alpha.value:.2f} ({made.word})")
        for judge in result.judges[:3]:
            lines.append(
                f"- {escape(judge.judge)} agrees with a person in {percent(judge.agreement)}, two "
                f"people in {percent(judge.human_human)}: {judge.word}"
            )
        lines += [f"- ! {escape(text)}" for text in result.warnings[:3]]
    return lines


def _row(row: MatrixRow) -> str:
    cells = []
    for cell in row.cells:
        letters = f" {cell.letters}" if cell.letters else ""
        thin = ", thin" if cell.thin else ""
        cells.append(f"{percent(cell.estimate)}{letters} ({counts(cell.estimate)}{thin})")
    critical = ", critical" if row.critical else ""
    title = f"{escape(row.title)} ({escape(row.metric_title)}{critical})"
    return f"| {title} | " + " | ".join(cells) + " |"


def _differences(document: Document) -> list[str]:
    told = [
        (row, d)
        for row in document.analysis.dimension_rows
        for d in row.differences
        if d.verdict in APART
    ]
    if not told:
        compared = any(
            d.estimate.value is not None
            for row in document.analysis.dimension_rows
            for d in row.differences
        )
        if len(document.analysis.candidates) < 2:  # noqa: PLR2004 - one has no pair
            return ["**One candidate: there is no pair to compare.**"]
        if not compared:
            return ["**No pair of candidates is compared: nothing that both answered is scored.**"]
        lines = ["**No pair of candidates can be told apart.**"]
        odd = [
            (row, d)
            for row in document.analysis.dimension_rows
            for d in row.differences
            if reason_of(d)
        ]
        lines += [
            f"- {escape(row.title)}: {escape(d.a)} - {escape(d.b)} = {points(d.estimate)} points:"
            f" {EXPLAINED[reason_of(d)]}"
            for row, d in odd[:MOST_REASONS]
        ]
        return lines
    how = "paired, Holm" if is_corrected(document.analysis.dimension_rows) else "paired"
    left: Counter[str] = Counter(
        d.verdict
        for row in document.analysis.dimension_rows
        for d in row.differences
        if d.verdict not in APART and d.estimate.value is not None
    )
    rest = [f"{left[one]} {words}" for one, words in _NOT_APART.items() if left[one]]
    more = f"; of the others {' and '.join(rest)}" if rest else ""
    lines = [f"**Differences that stand ({how}){more}**"]
    for row, d in told:
        mark = " (confounded: different templates)" if d.confounded_by else ""
        mark += f" ({EXPLAINED[reason_of(d)]})" if reason_of(d) else ""
        lines.append(
            f"- {escape(row.title)} ({escape(row.metric_title)}): {escape(d.a)} - {escape(d.b)} = "
            f"{points(d.estimate)} points, p {_p(d)}, n = {d.estimate.n_samples:,}{mark}"
        )
    return lines


def _p(difference: PairDifference) -> str:
    text = p_text(difference.p_adjusted)
    return escape(text if text.startswith("<") else f"= {text}")


def _failures(document: Document, *, room: int) -> list[str]:
    """Return how often each candidate failed in which way, the most frequent first."""
    found = document.analysis.failures
    shown = found[: max(0, min(MOST_FAILURES, room - HEAD))]
    if not shown:
        return []
    lines = [
        "",
        f"**Failures by mode** ({len(found) - len(shown)} more: HTML or --json)"
        if len(shown) < len(found)
        else "**Failures by mode**",
        "",
        "| Scenario | Candidate | Failure | Of scored | Share |",
        "|---|---|---|---|---|",
    ]
    for one in shown:
        names = " | ".join(map(escape, (one.scenario, one.candidate, one.mode)))
        of = f"{one.count:,} of {one.share.n_trials:,}"
        lines.append(f"| {names} | {of} | {percent(one.share)}{weighted(one.share)} |")
    return [*lines, "", COUNTED_ONCE]
