"""What a sitting has spent, in words: what is known, what may come on top, whom the cap stopped."""

from __future__ import annotations

import shlex
from decimal import ROUND_UP, Context
from typing import TYPE_CHECKING, Any

from befit.cli.words import duration, money
from befit.core.written import many

if TYPE_CHECKING:
    from decimal import Decimal

    from befit.core.run import RunStatus
    from befit.engine.outcome import RunOutcome
    from befit.pipeline.running import Ran

_WORSE: tuple[RunStatus, ...] = ("complete", "partial", "capped", "interrupted")


def spent_text(spent: Decimal, *, unknown: int, priced: bool, uncertain: Decimal | int = 0) -> str:
    """Return what was spent; calls of which nobody knows what they cost are not free.

    Args:
        spent: known to be spent.
        unknown: calls of unknown cost, failed ones among them.
        priced: every price is known, so that where no call is unknown nothing is.
        uncertain: the most that calls may have cost besides which told no cost.
    """
    text = f"spent {money(float(spent))}" if priced or spent else "spent unknown"
    if unknown:
        calls = many(unknown, "call")
        text = f"spent unknown ({calls} of unknown cost)"
        if spent:
            text = f"spent {money(float(spent))} and the unknown cost of {calls}"
        return f"{text}, at most {money(float(uncertain))} more" if uncertain else text
    if uncertain:
        text += f", at most {money(float(uncertain))} more for calls that told no cost"
    return text


def capped_text(outcome: RunOutcome) -> str:
    """Return that the cap has stopped a sitting, and what would let it go on."""
    if outcome.refused is None:
        return "the spend cap is reached; give it a higher --max-cost"
    needed = money(float(outcome.refused))
    least = "" if outcome.needs is None else f", at least {money(float(_up(outcome.needs)))}"
    if not outcome.spent and not outcome.uncertain and not outcome.ok:
        return (
            f"the spend cap is below what one call may cost, {needed}: give it a higher "
            "--max-cost, or the candidates a lower sampling.max_tokens"
        )
    return (
        f"the spend cap leaves less than the {needed} that the next call may cost: give it a "
        f"higher --max-cost{least}"
    )


def _up(amount: Decimal) -> Decimal:
    """Round up to two digits: a cap below the amount would not do."""
    return Context(prec=2, rounding=ROUND_UP).plus(amount)


def raised(resume: str, outcome: RunOutcome) -> str:
    """Return a command that goes on, with a cap that lets it: the same one would stop again.

    The cap is the least in which the next call fits and besides what the trials that are left
    may take: as much as one has cost by now, or may cost at most. It is twice the least where
    nobody knows how many are left.
    """
    if outcome.needs is None or outcome.refused is None:
        return resume
    tried = outcome.ok + outcome.candidate_failures + outcome.missing + outcome.already
    each = outcome.refused
    if tried and outcome.spent:
        each = min(each, (outcome.spent + outcome.uncertain) / tried)
    left = outcome.needs if outcome.not_run is None else each * outcome.not_run
    whole = outcome.needs + left
    cap = f"{_up(whole):f}"
    words = shlex.split(resume)
    if "--max-cost" in words:
        words[words.index("--max-cost") + 1] = cap
    else:
        words += ["--max-cost", cap]
    return shlex.join(words)


def status_of(ran: Ran) -> RunStatus:
    """Return how the run and its judges have ended: the worse of both."""
    judged = None if ran.judging is None else ran.judging.outcome
    ended = [one.status for one in (ran.outcome, judged) if one is not None]
    return max(ended, key=_WORSE.index, default="complete")


def judges_text(ran: Ran) -> str | None:
    """Return how a sitting of judges went and what they have spent; None where none was held."""
    if ran.judging is None or ran.judging.outcome is None:
        return None
    judged, run_id = ran.judging.outcome, ran.manifest.id
    left = f", {judged.not_run:,} not asked" if judged.not_run else ""
    priced = all(one.price is not None for one in ran.judging.manifest.candidates)
    spent = spent_text(
        judged.spent, unknown=judged.unknown, priced=priced, uncertain=judged.uncertain
    )
    whole = "" if ran.bill is None else f", with the run {money(float(ran.bill.spent))}"
    return (
        f"judges of {run_id} {judged.status}: {judged.ok:,} questions answered{left}, "
        f"{spent}{whole} in {duration(judged.seconds)}"
    )


def spent_data(ran: Ran) -> dict[str, Any]:
    """Return what the run and its judges have spent as JSON values, and the judges' part."""
    known = ran.bill or ran.outcome
    if known is None:
        return {}
    told: dict[str, Any] = {
        "spent_usd": None if known.unknown and not known.spent else str(known.spent),
        "unknown_cost_calls": known.unknown,
        "uncertain_usd": str(known.uncertain),
    }
    judged = None if ran.judging is None else ran.judging.outcome
    if ran.judging is not None and judged is not None:
        told["judges"] = {
            "run": ran.judging.manifest.id,
            "status": judged.status,
            "ok": judged.ok,
            "missing": judged.missing,
            "already": judged.already,
            "reused": judged.reused,
            "not_run": judged.not_run,
            "spent_usd": None if judged.unknown and not judged.spent else str(judged.spent),
            "unknown_cost_calls": judged.unknown,
            "uncertain_usd": str(judged.uncertain),
        }
    return told
