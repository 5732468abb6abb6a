"""The decision record as Markdown: what was decided, why, on what, and by whom."""

from __future__ import annotations

from collections.abc import Iterator

from befit.core.decision import Decision, TierDecision
from befit.core.written import in_percent
from befit.report.decision import (
    FRONTIER,
    VERDICT_WORDS,
    combination_sentence,
    cost_text,
    evidence_text,
    floor_notes,
    frontier_text,
    headlines,
    limit_text,
    outcome_words,
    per_task,
    saving,
    source_text,
    standing_words,
    stands_sentence,
    votes_text,
)
from befit.report.html_charts import per_thousand
from befit.report.markdown import escape
from befit.report.numbers import amount, percent


def _made(decision: Decision) -> str:
    if not decision.made_at:
        return "not recorded, made"
    return f"made {decision.made_at} by {escape(decision.made_by)}"


def render(decision: Decision, *, record: str = "") -> str:
    """Return the whole record; names and model text are escaped."""
    lines = [
        f"# Decision{f' `{record}`' if record else ''}: {escape(decision.project)}",
        "",
        f"**{outcome_words(decision)}.**",
        "",
        *[f"- {escape(line)}" for line in headlines(decision)],
        "",
        (f"Run `{decision.run_id}`; {_made(decision)} with befit {decision.befit_version}."),
        "",
        "## What could change this",
        "",
        escape(stands_sentence(decision)),
        "",
        *_open(decision),
        "## Routes",
        "",
        *_routes(decision),
        "",
        escape(combination_sentence(decision)),
        "",
    ]
    for tier in decision.tiers:
        lines += _tier(decision, tier)
    lines += [FRONTIER, ""] if decision.tiers else []
    lines += [f"{escape(note)}\n" for note in floor_notes(decision)]
    lines += [*_gates(decision), *_constraints(decision), *_funnel(decision), *_basis(decision)]
    return "\n".join(lines) + "\n"


def _open(decision: Decision) -> Iterator[str]:
    if decision.stopped is not None:
        yield f"- {escape(decision.stopped.text)}"
    for question in decision.open_questions:
        yield f"- {escape(question)}"
    if decision.sensitivity is not None:
        for flip in decision.sensitivity.flips:
            yield f"- {escape(flip.tier)}: {escape(flip.text)}"
    yield ""


def _routes(decision: Decision) -> Iterator[str]:
    yield "| Task tier | Tasks a month | Model | Fallback | Runner-up | Confidence | Why |"
    yield "|---|---:|---|---|---|---|---|"
    for tier in decision.tiers:
        model = tier.candidate or "none"
        if tier.outcome == "not_decided":
            model = f"not decided: {' or '.join(tier.contenders)}"
        yield (
            f"| {escape(tier.tier)} | {tier.volume_per_month:,} | {escape(model)} | "
            f"{escape(tier.fallback or '—')} | {escape(tier.runner_up or '—')} | "
            f"{tier.confidence} | {escape(tier.reason or tier.missing)} |"
        )


def _tier(decision: Decision, tier: TierDecision) -> Iterator[str]:
    yield f"## {escape(tier.tier)}"
    yield ""
    columns = (
        "Candidate",
        "Verdict",
        "Group",
        tier.quality_name.capitalize(),
        "USD per 1,000 tasks",
        "USD per 1,000 successes",
        "p95",
        "Frontier",
        "Why",
    )
    yield f"| {' | '.join(columns)} |"
    yield "|---|---|---|---|---|---|---|---|---|"
    for one in tier.standings:
        costs = [
            cost_text(per_thousand(cost), one.untold_tries)
            for cost in (one.cost_per_task, one.cost_per_success)
        ]
        stands = standing_words(decision, tier, one)
        yield (
            f"| {escape(one.candidate)} | {stands} | {one.letters or '—'} | "
            f"{percent(one.quality)} | {' | '.join(costs)} | "
            f"{amount(one.latency_p95, unit='s')} | "
            f"{frontier_text(one)} | {escape(one.why or '—')} |"
        )
    if tier.cascade is not None:
        found = tier.cascade
        yield ""
        yield (
            f"Cascade: {escape(found.rule)}. {per_task(found.cost_per_task)} per task, "
            f"{in_percent(found.escalated)} % escalated, pass rate {percent(found.quality)} on the "
            f"half that did not choose the rule."
        )
    yield ""


def _gates(decision: Decision) -> Iterator[str]:
    yield "## Gates"
    yield ""
    if not decision.verdicts:
        yield "The policy states none."
        yield ""
        return
    yield "| Candidate | Scenario | Gate | Limit | Seen | Verdict | Samples to settle | From |"
    yield "|---|---|---|---|---|---|---:|---|"
    for v in decision.verdicts:
        needed = "" if v.samples_needed is None else f"{v.samples_needed:,}"
        yield (
            f"| {escape(v.candidate)} | {escape(v.scenario or 'all')} | {escape(v.gate.metric)} | "
            f"{limit_text(v)} | {escape(evidence_text(v))} | {VERDICT_WORDS[v.verdict]} | "
            f"{needed} | {source_text(v)} |"
        )
    yield ""


def _constraints(decision: Decision) -> Iterator[str]:
    priced = [c for c in decision.constraints if c.routes]
    if not priced:
        return
    yield "## What each constraint costs"
    yield ""
    for one in priced:
        routes = ", ".join(f"{tier} → {name}" for tier, name in one.routes.items())
        yield f"- without {escape(one.constraint)}: {escape(routes)}{saving(one)}"
    yield ""


def _funnel(decision: Decision) -> Iterator[str]:
    if not decision.funnel:
        return
    yield "## Who left where"
    yield ""
    for layer in decision.funnel:
        note = f" ({escape(layer.note)})" if layer.note else ""
        if layer.status == "not run":
            yield f"- {escape(layer.name)}: not run{note}"
            continue
        yield f"- {escape(layer.name)}: {len(layer.kept)} stay{note}"
        for name, why in layer.left:
            yield f"  - {escape(name)} left: {escape(why)}"
    yield ""


def _basis(decision: Decision) -> Iterator[str]:
    yield "## Evidence"
    yield ""
    for name, value in decision.fingerprints.items():
        price = decision.prices.get(name, "price unknown")
        yield f"- {escape(name)}: configuration `{value}`, price `{price}`"
    for name, value in decision.set_versions.items():
        yield f"- {escape(name)}: sample set `{value}`"
    for one in decision.people_votes:
        yield f"- {escape(votes_text(one))}"
    yield ""
    yield "Policy:"
    yield ""
    yield "```json"
    yield decision.policy.model_dump_json(indent=1, exclude_defaults=True)
    yield "```"
