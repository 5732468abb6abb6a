"""What other runs say beside the one that is analysed: earlier measurements, the judges' bill."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from befit.analysis.columns import Floats
from befit.analysis.frame import MISSING, Frame
from befit.analysis.results import EngineeringCell, FailedTries, JudgeCost, UserCost
from befit.core.landed import Fact
from befit.core.run import Manifest
from befit.storage.workspace import Workspace

_AT_ONCE = 200
"""Whole conversations read at once."""

LOOKED_INTO = 1_000
"""Tasks with a failed try that are read, of each candidate and scenario."""


def earlier_measurements(
    workspace: Workspace, manifest: Manifest
) -> dict[tuple[str, str], list[Floats]]:
    """Return, for each candidate and scenario, what other runs measured: seconds, tokens, USD.

    Only runs with the very same candidate (fingerprint) and the same prompt, tools and
    caps (execution fingerprint), so that what differs is the endpoint and the hour.
    """
    found: dict[tuple[str, str], list[Floats]] = {}
    for other in workspace.times.others(manifest):
        theirs = {entry.fingerprint: entry.candidate.name for entry in other.candidates}
        specs = {entry.spec.name: entry.spec for entry in other.scenarios}
        for entry in manifest.candidates:
            name, prompt = theirs.get(entry.fingerprint), entry.candidate.prompt
            for scenario in manifest.scenarios:
                spec = specs.get(scenario.spec.name)
                if name is None or spec is None:
                    continue
                own = scenario.spec.execution_fingerprint(prompt)
                if spec.execution_fingerprint(prompt) != own:
                    continue
                rows = workspace.times.measured(other.id, name, spec.name)
                if rows:
                    key = (entry.candidate.name, spec.name)
                    found.setdefault(key, []).append(np.array(rows, dtype=np.float64))
    return found


def failed_tries(workspace: Workspace, frame: Frame) -> tuple[FailedTries, ...]:
    """Return what failed tries of finished tasks failed of; () where every first try was good.

    Kinds stand in the trials themselves, so only the first tasks of each candidate
    and scenario are looked into.
    """
    found: list[FailedTries] = []
    mended = (frame.attempts > 0) & (frame.status != MISSING) & ~frame.reused
    for candidate, scenario in np.unique(
        np.column_stack([frame.candidate[mended], frame.scenario[mended]]), axis=0
    ).tolist():
        rows = np.flatnonzero(mended & frame.rows(candidate=candidate, scenario=scenario))
        looked = [frame.place(row) for row in rows[:LOOKED_INTO].tolist()]
        keys = workspace.trial_ids(frame.manifest.id, looked)
        trials = workspace.trials(list(dict.fromkeys(key for key in keys if key is not None)))
        kinds = Counter(a.failure.kind for trial in trials.values() for a in trial.attempts)
        found.append(
            FailedTries(
                candidate=frame.candidates[candidate],
                scenario=frame.scenarios[scenario],
                kinds={str(kind): count for kind, count in kinds.most_common()},
                tasks=len(rows),
                read=len(trials),
            )
        )
    return tuple(found)


def judge_costs(workspace: Workspace, manifest: Manifest) -> tuple[JudgeCost, ...]:
    """Return what the judges of a run have cost, by judge and scenario; () where it has none."""
    if not any(entry.spec.judges for entry in manifest.scenarios):
        return ()
    rows: dict[tuple[str, str], list[Fact]] = {}
    for fact in _verdicts(workspace, manifest.id):
        scenario = fact.scenario.removesuffix(" again")
        rows.setdefault((fact.candidate, scenario), []).append(fact)
    return tuple(_cost(key, facts) for key, facts in rows.items())


def user_costs(workspace: Workspace, manifest: Manifest) -> tuple[UserCost, ...]:
    """Return what simulated users have cost, by candidate and scenario; () where there is none."""
    played = {entry.spec.name for entry in manifest.scenarios if entry.spec.user is not None}
    if not played:
        return ()
    rows: dict[tuple[str, str], list[Fact]] = {}
    for fact in workspace.facts(manifest.id):
        if fact.scenario in played and not fact.reused:
            rows.setdefault((fact.candidate, fact.scenario), []).append(fact)
    return tuple(_user_cost(workspace, key, facts) for key, facts in rows.items())


def _user_cost(workspace: Workspace, key: tuple[str, str], facts: list[Fact]) -> UserCost:
    known: list[float] = []
    for start in range(0, len(facts), _AT_ONCE):
        found = workspace.trials([fact.key_id for fact in facts[start : start + _AT_ONCE]])
        known += [float(t.user_cost) for t in found.values() if t.user_cost is not None]
    own = [fact.cost for fact in facts if fact.cost is not None]
    return UserCost(
        candidate=key[0],
        scenario=key[1],
        conversations=len(facts),
        cost=sum(known) if known else None,
        unknown=len(facts) - len(known),
        own=sum(own) if own else None,
    )


def whole_costs(
    workspace: Workspace, manifest: Manifest, cells: tuple[EngineeringCell, ...]
) -> tuple[EngineeringCell, ...]:
    """Return the cells with what candidates have cost that no answer tells: all was paid.

    Tries of trials that were made again later, conversations cut short: they belong to a
    candidate's bill as a whole (scenario None), as failed tries do.
    """
    untold = workspace.untold(manifest.id)
    made = []
    for cell in cells:
        more = untold.get(cell.candidate) if cell.scenario is None else None
        if more is not None and more.spent:
            usd = float(more.spent)
            total, retried = (cell.total_cost or 0.0) + usd, (cell.retry_cost or 0.0) + usd
            made.append(replace(cell, total_cost=total, retry_cost=retried))
        else:
            made.append(cell)
    return tuple(made)


def _verdicts(workspace: Workspace, run_id: str) -> Iterator[Fact]:
    for found, _ in workspace.runs():
        if found.judges_run == run_id:
            yield from (fact for fact in workspace.facts(found.id) if not fact.reused)


def _cost(key: tuple[str, str], facts: list[Fact]) -> JudgeCost:
    known = [fact.cost for fact in facts if fact.cost is not None]
    retried = [fact.retry_cost for fact in facts if fact.retry_cost is not None]
    return JudgeCost(
        judge=key[0],
        scenario=key[1],
        calls=len(facts),
        cost=sum(known) if known else None,
        unknown_cost_calls=len(facts) - len(known),
        retry_cost=sum(retried) if retried else None,
    )
