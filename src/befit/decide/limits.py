"""Why no combination of proven candidates keeps the limits across tiers, and by how much."""

from __future__ import annotations

from dataclasses import replace

from befit.decide.amounts import plain, usd
from befit.decide.choosing import Choice
from befit.decide.routing import relaxed, solve
from befit.decide.tiers import ASSUMED


def limits_not_kept(choice: Choice) -> str:
    """Return which limit is not kept, and what the cheapest proven combination would cost."""
    problem = choice.problem(choice.proven, choice.served)
    loose = relaxed(problem)
    # a limit is to blame where all can be served without it; else all of them together are
    blamed = [text for text, without in loose.items() if solve(without) is not None] or list(loose)
    proven = "proven " if all(choice.judgement.gates[t] for t in choice.served) else ""
    said = f"no combination of {proven}candidates keeps the limit of {' and '.join(blamed)}"
    cheapest = solve(replace(problem, prefer="cost", budget=None))
    if problem.budget is None or cheapest is None or cheapest.cost <= problem.budget:
        return said
    names = choice.evidence.candidates
    routes = [
        names[m] if len(choice.served) == 1 else f"{tier.name}: {names[m]}"
        for tier, m in zip(problem.tiers, cheapest.choice, strict=True)
    ]
    over = cheapest.cost - problem.budget
    said += (
        f"; the cheapest {proven}one ({', '.join(routes)}) costs {usd(cheapest.cost)} a month, "
        f"{usd(over)} ({plain(100 * over / problem.budget)} %) over it"
    )
    if not any(view.tier.volume_per_month for view in choice.views):
        said += f", taken at {ASSUMED:,} tasks of each tier, since none states volume_per_month"
    return said
