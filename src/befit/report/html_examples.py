"""Quoted examples for the page: grouped, and cut to what a page can bear.

A report without `full` shows as many as fit into a budget of characters, one
of each group in turn, and says how many it left out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from befit.core.record import Json
from befit.report.document import ExampleTrial, Quote
from befit.report.html_text import as_text

BUDGET = 520_000
"""Characters of markup that all failure examples together may take by default."""
CHECKS = frozenset({"field_present", "field_value", "field_format", "field_unread"})
VERDICT = "judge_verdict"


@dataclass(frozen=True, slots=True, kw_only=True)
class PartRow:
    """One field or instruction of an answer: expected, got, and the outcome."""

    part: str
    expected: str
    got: str
    label: str
    passed: bool | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ModeExamples:
    """The examples of one failure mode on one scenario."""

    scenario: str
    mode: str
    shown: tuple[Markup, ...]
    left_out: int


def _expected(target: Json, part: str) -> str:
    if isinstance(target, dict) and part in target:
        return as_text(target[part])
    return ""


def _got(quote: Quote) -> str:
    if quote.name == VERDICT and quote.explanation:
        return quote.explanation  # the judge's own words; its verdict is the outcome
    return as_text(quote.answer) if quote.answer is not None else quote.explanation or ""


def part_rows(example: ExampleTrial) -> tuple[PartRow, ...]:
    """Return the parts an answer was judged by: fields against the target, or instructions."""
    return tuple(
        PartRow(
            part=quote.part,
            expected=_expected(example.expected, quote.part),
            got=_got(quote),
            label=quote.label or quote.rule or quote.name,
            passed=None if quote.value is None else quote.value >= 1,
        )
        for quote in example.quotes
        if quote.part is not None and quote.name not in CHECKS
    )


def whole_quotes(example: ExampleTrial) -> tuple[Quote, ...]:
    """Return the judgements of the whole answer."""
    return tuple(quote for quote in example.quotes if quote.part is None)


def group_examples(
    examples: Sequence[ExampleTrial],
    write: Callable[[ExampleTrial], Markup],
    *,
    budget: int | None,
) -> tuple[ModeExamples, ...]:
    """Return the examples by scenario and mode, at most `budget` characters of markup in all.

    Args:
        examples: all there are.
        write: makes the markup of one.
        budget: None for no limit.
    """
    by_cell: dict[tuple[str, str, str], list[ExampleTrial]] = {}
    for example in examples:
        key = (example.scenario, example.mode, example.candidate)
        by_cell.setdefault(key, []).append(example)
    kept: dict[tuple[str, str], list[tuple[str, Markup]]] = {}
    totals: dict[tuple[str, str], int] = {}
    spent = 0
    for turn in range(max((len(cell) for cell in by_cell.values()), default=0)):
        for (scenario, mode, candidate), cell in by_cell.items():
            if turn >= len(cell):
                continue
            group = (scenario, mode)
            totals[group] = totals.get(group, 0) + 1
            markup = write(cell[turn])
            if budget is not None and spent + len(markup) > budget:
                continue
            spent += len(markup)
            kept.setdefault(group, []).append((candidate, markup))
    return tuple(
        ModeExamples(
            scenario=scenario,
            mode=mode,
            shown=tuple(markup for _, markup in kept.get((scenario, mode), [])),
            left_out=total - len(kept.get((scenario, mode), [])),
        )
        for (scenario, mode), total in totals.items()
    )
