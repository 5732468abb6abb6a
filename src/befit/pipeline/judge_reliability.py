"""The stage that reads what the judges of a run have said, and says how far to trust them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from befit.analysis.judges import JudgeReliability, Verdict, corrected, family_of, reliability
from befit.core.estimate import Estimate
from befit.core.run import Manifest
from befit.core.trial import Trial
from befit.scorers.parsing import parse_json
from befit.storage.workspace import Workspace

_BATCH = 200

Label = tuple[str, str, int]
"""Candidate, sample and repeat of a judged answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeReport:
    """All judges of a run, their cost, and the corrected rates where people have labelled."""

    judges: tuple[JudgeReliability, ...]
    spent: float | None
    """USD the judges have cost; None where no cost is known."""
    input_tokens: int
    output_tokens: int
    calls: int
    corrected: dict[tuple[str, str], dict[str, Estimate]]
    """(scenario, judge) -> candidate -> judged rate corrected by PPI++."""


def judge_report(
    workspace: Workspace,
    run_id: str,
    *,
    labels: Mapping[str, Mapping[Label, float]] | None = None,
) -> JudgeReport:
    """Return how far the judges of a run can be trusted.

    Args:
        workspace: where the run is.
        run_id: the judged run.
        labels: scenario -> people's verdicts (0..1) on a random part of the answers.

    Raises:
        StoreError: no such run.
    """
    manifest = workspace.manifest(run_id)
    runs = [found for found, _ in workspace.runs() if found.judges_run == run_id]
    found: list[JudgeReliability] = []
    rates: dict[tuple[str, str], dict[str, Estimate]] = {}
    traits: dict[str, dict[str, tuple[str | None, float]]] = {}
    for one in workspace.sample_traits(run_id):
        traits.setdefault(one.scenario, {})[one.sample_id] = one.cluster, one.weight
    for entry in manifest.scenarios:
        spec = entry.spec
        names = [judge.name for judge in spec.judges]
        verdicts = _verdicts(workspace, run_id, spec.name, names) if names else {}
        for judge in spec.judges:
            own = verdicts[judge.name]
            family = {
                c.candidate.name: family_of(c.candidate.model) == family_of(judge.model)
                for c in manifest.candidates
            }
            again = list(_again(workspace, runs, spec.name, judge.name))
            kin = traits.get(spec.name)
            found.append(
                reliability(judge.name, spec.name, own, again=again, family=family, traits=kin)
            )
            if labels and spec.name in labels:
                given = labels[spec.name]
                rates[spec.name, judge.name] = corrected(given, own, traits=kin)
    facts = [f for run in runs for f in workspace.facts(run.id) if not f.reused]
    costs = [fact.cost for fact in facts if fact.cost is not None]
    # Tries of questions that were asked again later, which no stored reply tells.
    costs += [float(o.spent) for r in runs for o in workspace.untold(r.id).values() if o.spent]
    return JudgeReport(
        judges=tuple(found),
        spent=sum(costs) if costs else None,
        input_tokens=sum(fact.input_tokens or 0 for fact in facts),
        output_tokens=sum(fact.output_tokens or 0 for fact in facts),
        calls=len(facts),
        corrected=rates,
    )


def _verdicts(
    workspace: Workspace, run_id: str, scenario: str, judges: list[str]
) -> dict[str, list[Verdict]]:
    """Return all verdicts on a scenario's answers, by judge."""
    lengths = {
        (f.candidate, f.sample_id, f.repeat): f.output_chars
        for f in workspace.facts(run_id)
        if f.scenario == scenario
    }
    found: dict[str, list[Verdict]] = {name: [] for name in judges}
    for row in workspace.scores(run_id, scenario=scenario, names=["judge_verdict"]):
        part = row.part or ""
        name = judges[0]
        if part.startswith("judge "):
            number, _, part = part.removeprefix("judge ").partition(": ")
            name = judges[int(number) - 1]
        order = next((o for o in ("as is", "swapped") if part.endswith(f"({o})")), "")
        found[name].append(
            Verdict(
                candidate=row.candidate,
                sample_id=row.sample_id,
                repeat=row.repeat,
                part=part,
                value=row.value,
                length=lengths.get((row.candidate, row.sample_id, row.repeat), 0),
                order=order,
            )
        )
    return found


def _again(
    workspace: Workspace, runs: list[Manifest], scenario: str, judge: str
) -> Iterator[list[str | None]]:
    """Yield the verdicts on each question that a judge was asked repeatedly."""
    name = f"{scenario} again"[:100]
    by_question: dict[str, list[str]] = {}
    for run in runs:
        for fact in workspace.facts(run.id):
            if fact.scenario == name and fact.candidate == judge:
                by_question.setdefault(fact.sample_id, []).append(fact.key_id)
    keys = [key for own in by_question.values() for key in own]
    trials: dict[str, Trial] = {}
    for start in range(0, len(keys), _BATCH):
        trials |= workspace.trials(keys[start : start + _BATCH])
    for own in by_question.values():
        yield [_said(trials[key]) for key in own if key in trials]


def _said(trial: Trial) -> str | None:
    value, error = parse_json(trial.output.strip())
    if error is not None or not isinstance(value, dict) or "verdict" not in value:
        return None
    return str(value["verdict"])
