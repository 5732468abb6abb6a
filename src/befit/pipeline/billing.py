"""What a run has cost by now, over all sittings: its stored answers and what none of them tells.

A spend cap is for a run and its judges together, so each counts the other.
"""

from __future__ import annotations

from decimal import Decimal

from befit.engine.bill import NO_BILL, Bill
from befit.storage.workspace import Workspace


def bill_of(workspace: Workspace, run_id: str) -> Bill:
    """Return what a run has cost so far, its judges apart; reused trials cost nothing."""
    spent, uncertain, unknown = Decimal(0), Decimal(0), 0
    for fact in workspace.facts(run_id):
        if fact.reused:
            continue
        unknown += fact.untold_tries or 0
        if fact.cost is not None:
            spent += Decimal(repr(fact.cost))
        elif fact.status != "missing":
            unknown += 1
    for cost in workspace.untold(run_id).values():
        spent += cost.spent
        uncertain += cost.uncertain
    return Bill(spent=spent, uncertain=uncertain, unknown=unknown)


def judges_bill(workspace: Workspace, run_id: str, *, but: str | None = None) -> Bill:
    """Return what all runs of a run's judges have cost so far, all `but` one of them."""
    found = NO_BILL
    for manifest, _ in workspace.runs():
        if manifest.judges_run == run_id and manifest.id != but:
            found += bill_of(workspace, manifest.id)
    return found
