"""The stage that decides on a stored run and keeps the decision."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime

from pydantic import TypeAdapter

from befit.analysis.frame import Frame
from befit.core.candidate import Candidate
from befit.core.decision import Decision, StudyVotes, Verdict
from befit.core.estimate import Estimate
from befit.core.policy import Policy
from befit.core.record import Json
from befit.core.run import Manifest
from befit.core.tier import Tier
from befit.decide.evidence import may_not_gate
from befit.decide.funnel import funnel, public_view
from befit.decide.people import PEOPLE
from befit.decide.racing import race_verdicts
from befit.decide.reading import read_evidence
from befit.decide.record import decide
from befit.errors import StoreError
from befit.pipeline.analysing import load_frame
from befit.pipeline.measured import outside_figures
from befit.pipeline.price_changes import (
    AT_ONE_PRICE,
    changed_since,
    mixed_prices,
    with_warnings,
)
from befit.pipeline.review_results import (
    people_gates,
    people_votes,
    results_of_run,
    uncalibrated_judges,
    unheard,
)
from befit.review.result import Result
from befit.storage.records import Written
from befit.storage.workspace import Workspace

_FORM: TypeAdapter[Decision] = TypeAdapter(Decision)
Place = tuple[str, str, str]
"""(metric, scenario, candidate)."""
Outside = Mapping[Place, Estimate]


def decide_run(
    workspace: Workspace,
    run_id: str,
    *,
    policy: Policy | None = None,
    tiers: tuple[Tier, ...] | None = None,
    outside: Outside | None = None,
    candidates: Sequence[Candidate] = (),
) -> Decision:
    """Decide on a stored run; nothing is called and nothing is written.

    Args:
        workspace: where the run is.
        run_id: its id.
        policy: the policy as it is now; that of the run where None.
        tiers: the task tiers as they are now; those of the run where None.
        outside: estimates made elsewhere; they come before those that the workspace holds
            (load measurements, fallback checks, blind reviews).
        candidates: the project's as they are now, to tell of prices that have changed since.

    Raises:
        StoreError: no such run.
    """
    frame = load_frame(workspace, run_id, policy=policy)
    people = results_of_run(workspace, run_id)
    votes = people_votes(people)
    beside = evidence_beside(workspace, frame.manifest, people=people)
    outside = {**beside, **(outside or {})}
    warnings = [f"{one.text}; {AT_ONE_PRICE}." for one in mixed_prices(workspace, frame)]
    warnings += changed_since(candidates, frame.manifest, now=datetime.now(tz=UTC))
    before = latest_decision(workspace, run_id)
    if before is None or before[0].stopped is None:
        plain = decide_frame(frame, policy=policy, tiers=tiers, outside=outside, votes=votes)
        return with_warnings(plain, warnings)
    # A run that stopped itself: its intervals are no tests, its betting evidence is.
    found = decide_frame(
        frame,
        policy=policy,
        tiers=tiers,
        outside=outside,
        settled=race_verdicts(
            frame,
            policy=frame.manifest.policy if policy is None else policy,
            tiers=frame.manifest.tiers if tiers is None else tiers,
        ),
        looks=2,
        votes=votes,
    )
    return replace(with_warnings(found, warnings), stopped=before[0].stopped)


def evidence_beside(
    workspace: Workspace, manifest: Manifest, *, people: Sequence[Result] | None = None
) -> dict[Place, Estimate]:
    """Return what gates may ask that no run holds, as far as the workspace has it.

    Throughput at peak and fallback retention as they were measured; what people said in the
    unblinded studies on the run (`people`, where their results are at hand already).
    """
    if people is None:
        people = results_of_run(workspace, manifest.id)
    found: dict[Place, Estimate] = dict(outside_figures(workspace, manifest))
    found.update(uncalibrated_judges(manifest, people))
    found.update(unheard(workspace, manifest))
    found.update(people_gates(people))
    return found


def decide_frame(
    frame: Frame,
    *,
    policy: Policy | None = None,
    tiers: tuple[Tier, ...] | None = None,
    outside: Outside | None = None,
    settled: Mapping[tuple[str, str], Verdict] | None = None,
    looks: int = 1,
    votes: tuple[StudyVotes, ...] = (),
) -> Decision:
    """Decide on the columns of a run.

    Args:
        frame: the run's columns.
        policy: that of the run where None.
        tiers: those of the run where None.
        outside: estimates that no run holds.
        settled: the verdicts of a run that stopped itself.
        looks: how often gates that are not settled may be looked at.
        votes: the votes behind what people said, for the record.
    """
    manifest = frame.manifest
    policy = manifest.policy if policy is None else policy
    tiers = manifest.tiers if tiers is None else tiers
    if settled and outside:
        # what may not gate is not settled by a run that stopped itself on it either
        settled = {
            place: verdict
            for place, verdict in settled.items()
            if not may_not_gate(outside.get(("pass_rate", *place)))
        }
    found = decide(
        read_evidence(frame, tiers=tiers, outside=outside, settled=settled, looks=looks), policy
    )
    named = _named(found, manifest)
    people = any(
        place[0] in PEOPLE and found.value is not None for place, found in (outside or {}).items()
    )
    unseen = () if people else ("Not reviewed by people.",)
    return replace(
        named,
        open_questions=(*named.open_questions, *unseen),
        funnel=funnel(named, manifest.candidates, manifest.screening, reviewed=people),
        public=public_view(named, manifest.candidates, manifest.screening),
        people_votes=votes,
    )


def _named(decision: Decision, manifest: Manifest) -> Decision:
    return replace(
        decision,
        run_id=manifest.id,
        project=manifest.project,
        befit_version=manifest.befit_version,
        fingerprints={c.candidate.name: c.fingerprint for c in manifest.candidates},
        prices={
            c.candidate.name: c.price_snapshot
            for c in manifest.candidates
            if c.price_snapshot is not None
        },
        set_versions={s.spec.name: s.set_version for s in manifest.scenarios},
    )


def keep_decision(
    workspace: Workspace, decision: Decision, *, by: str, now: datetime
) -> tuple[Decision, Written]:
    """Write a decision down for good, with who and when; return it with its record."""
    signed = replace(decision, made_by=by, made_at=now.isoformat(timespec="seconds"))
    body = _FORM.dump_python(signed, mode="json")
    written = workspace.records.write(
        "decision", body, run_id=signed.run_id, created_at=signed.made_at, name=signed.project
    )
    return signed, written


def recorded_already(workspace: Workspace, decision: Decision) -> tuple[Decision, Written] | None:
    """Return the newest record on the run where it says the same as `decision`, else None.

    The same but for who made it and when.
    """
    try:
        before = latest_decision(workspace, decision.run_id)
    except StoreError:
        return None  # one of an earlier befit: it has another form
    if before is None or _content(before[0]) != _content(decision):
        return None
    return before


def _content(decision: Decision) -> Json:
    found: Json = _FORM.dump_python(decision, mode="json", exclude={"made_at", "made_by"})
    return found


def read_decision(written: Written) -> Decision:
    """Return the decision of a record.

    Raises:
        StoreError: it was written by a befit whose decisions have another form.
    """
    try:
        return _FORM.validate_python(written.body)
    except ValueError as error:
        raise StoreError(
            f"decision {written.id} cannot be read by this befit",
            why=str(error).splitlines()[0],
            do="read it with the befit that made it",
        ) from error


def latest_decision(workspace: Workspace, run_id: str) -> tuple[Decision, Written] | None:
    """Return the newest decision made on a run, or None."""
    found = workspace.records.all("decision", run_id=run_id, limit=1)
    return (read_decision(found[0]), found[0]) if found else None
