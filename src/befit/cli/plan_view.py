"""How a plan is shown: what it does, costs and takes, and what it can show at best."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from befit.cli.words import duration, money_span, number, show_table
from befit.core.written import many

if TYPE_CHECKING:
    from befit.cli.shell import Shell
    from befit.engine.plan import Plan, Span
    from befit.pipeline.planning import PlanReport


def show_plan(shell: Shell, made: PlanReport) -> None:
    """Print the plan's two tables and its totals."""
    plan = made.plan
    shell.data(
        f"{made.project}: {many(plan.n_slots, 'trial')}, {plan.n_stored:,} already stored, "
        f"{many(plan.n_calls, 'call')} to make"
    )
    unpriced = f" (no price is known for {', '.join(plan.unpriced)})" if plan.unpriced else ""
    shell.data(f"cost  {money_span(plan.cost)}{unpriced}")
    shell.data(f"time  {_time(plan)}\n")
    rows = [
        [
            cell.scenario,
            cell.candidate,
            f"{cell.n_samples}x{cell.repeats}",
            number(cell.n_calls),
            _tokens(cell.input_tokens),
            _tokens(cell.output_tokens),
            money_span(cell.cost),
        ]
        for cell in plan.cells
    ]
    header = ["scenario", "candidate", "samples", "calls", "input tokens", "output tokens", "cost"]
    show_table(shell, header, rows, numeric=(2, 3, 4, 5), least=(5, 4))
    shell.data("")
    show_detectable(shell, made)


def show_detectable(shell: Shell, made: PlanReport) -> None:
    """Print the smallest difference each scenario can show."""
    sizes = sorted(made.detectable[0].by_size) if made.detectable else []
    rows = [
        [
            one.scenario,
            number(one.n_samples),
            _points(one.difference),
            _points(one.corrected),
            *[_points(one.by_size[n]) for n in sizes],
        ]
        for one in made.detectable
    ]
    header = ["scenario", "samples", "one pair", "all pairs", *[f"n={n}" for n in sizes]]
    show_table(
        shell,
        header,
        rows,
        title="Smallest difference this plan can show (points, 80 % power, paired)",
        numeric=tuple(range(1, len(header))),
        least=tuple(range(4, len(header))),
    )
    asked = made.recommended
    shell.data(
        f"To tell {100 * asked.difference:g} points apart: "
        f"{many(asked.one_pair, 'sample')} a scenario "
        f"for one pair, {asked.all_pairs:,} for all pairs; to show that a change is at most "
        f"{100 * asked.margin:g} points worse: {asked.regression:,}."
    )


def _time(plan: Plan) -> str:
    """Return how long the calls take, by what is known of it."""
    if not plan.n_calls:
        return "none: there is nothing to call"
    if plan.seconds is None:
        who = [n for end in plan.endpoints if end.seconds is None for n in end.candidates]
        return (
            f"not known: no rate is stated for {', '.join(who)}, and no earlier run of this "
            "project measured how long a call takes"
        )
    slowest = max(plan.endpoints, key=lambda end: end.seconds or 0.0)
    if slowest.why == "latency":
        return f"about {duration(plan.seconds)}, by the latencies of earlier runs"
    return f"at least {duration(plan.seconds)}, by the rates that are stated"


def _tokens(span: Span) -> str:
    if span.high is None:
        return f"{number(span.low)}+"
    return f"{number(span.low)}-{number(span.high)}"


def _points(value: float | None) -> str:
    return "none" if value is None else f"{100 * value:.1f}"


def plan_data(made: PlanReport) -> dict[str, Any]:
    """Return the plan as JSON values."""
    found = asdict(made.plan)
    found["warnings"] = [asdict(warning) for warning in made.plan.warnings]
    return {
        "project": made.project,
        "plan": found,
        "detectable": [asdict(one) for one in made.detectable],
        "recommended": asdict(made.recommended),
    }
