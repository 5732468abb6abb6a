"""The stage that spends no more than the decision takes.

Samples come in a random order, whole clusters one after the other, the same for all candidates;
after every batch the race looks at all of them. Candidates that are out and scenarios that are
settled are asked no more. It ends at the decision, at futility, when the
samples are used up, or at the spend cap.
"""

from __future__ import annotations

import random
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import accumulate
from typing import Literal

from befit.analysis.frame import Frame
from befit.config.load import importable
from befit.config.project import Project
from befit.core.decision import Decision, Stopped
from befit.core.fingerprint import fingerprint
from befit.core.run import Manifest, ManifestCandidate, RunSettings
from befit.core.sample import Sample
from befit.core.scenario import Scenario
from befit.core.written import many
from befit.decide.race import Race, verdicts_of
from befit.decide.race_words import why_out
from befit.decide.racing import lanes_of, least_samples, look
from befit.engine.executor import Runtime, check_prices, execute
from befit.engine.job import Job
from befit.engine.looping import run_to_end
from befit.engine.masking import Masking
from befit.engine.opening import open_targets
from befit.engine.outcome import RunOutcome
from befit.engine.progress import Callback
from befit.engine.scoring import Scoring
from befit.engine.stop import StopSignal
from befit.pipeline.analysing import load_frame
from befit.pipeline.billing import bill_of
from befit.pipeline.deciding import decide_frame, evidence_beside
from befit.pipeline.manifest import UNTIL_DECIDED, make_manifest
from befit.pipeline.planning import recommend
from befit.pipeline.readiness import check_ready, naming_recordings
from befit.pipeline.review_results import people_votes, results_of_run
from befit.pipeline.running import (
    all_candidates,
    run_anywhere,
    with_keys,
    without_keys,
)
from befit.storage.workspace import Workspace

FIRST = 20
"""Samples before the first look."""
GROWTH = 0.15
"""Each batch is this share of what there is, and ten samples at least."""
ENDED = {"interrupted", "capped"}


@dataclass(frozen=True, slots=True, kw_only=True)
class RanUntil:
    """A run that stopped itself, and what it decided."""

    manifest: Manifest
    decision: Decision
    stopped: Stopped
    interrupted: bool
    capped: RunOutcome | None = None
    """The batch that the spend cap has stopped, if one has."""


def _nothing(_text: str) -> None:
    """Say nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """Samples as a dataset."""

    samples: tuple[Sample, ...]

    def load(self) -> Iterator[Sample]:
        """Stream them."""
        return iter(self.samples)


def run_until_decided(
    project: Project,
    workspace: Workspace,
    *,
    settings: RunSettings | None = None,
    progress: Callback | None = None,
    stop: StopSignal | None = None,
    say: Callable[[str], None] | None = None,
) -> RanUntil:
    """Run batch after batch until every scenario is settled.

    Args:
        project: the checked project.
        workspace: where trials are kept.
        settings: replaces the project's run settings.
        progress: called about twice a second.
        stop: asks the run to stop.
        say: told about every look.

    Raises:
        StoreError: another process is running this very plan.
        BefitError: as the engine does; what was paid for is stored.
    """
    settings = without_keys(settings or project.settings, project)
    stop = stop or StopSignal()
    now = datetime.now(tz=UTC)
    made = make_manifest(project, run_id=workspace.new_run_id(), now=now, settings=settings)
    made = Masking.of(all_candidates(project)).record(made)
    plan = fingerprint([made.plan_fingerprint, UNTIL_DECIDED])
    with importable(project.folder), workspace.hold(plan):
        earlier = workspace.find_resumable(plan)
        orders = {s.name: random_order(s, seed=settings.seed) for s in project.scenarios}
        manifest = earlier or _weighed(made, orders).model_copy(update={"plan_fingerprint": plan})
        scorings = {s.name: Scoring.of(s.spec) for s in project.scenarios}
        with naming_recordings(project):
            run_anywhere(check_ready(all_candidates(project)))
        check_prices(made.candidates, settings)
        if earlier is None:
            workspace.create(manifest)
        else:
            workspace.finish(manifest.id, "running")
        sitting = _Sitting(project, workspace, manifest, settings, scorings, orders)
        reason = sitting.run(_Talk(progress=progress, stop=stop, say=say or _nothing))
        frame = load_frame(workspace, manifest.id, policy=project.policy)
        decision, stopped = sitting.decide(frame, reason)
        interrupted = reason == "interrupted"
        complete = reason in {"decided", "futility", "all samples"}
        workspace.finish(manifest.id, "complete" if complete else "capped")
        if interrupted:
            workspace.finish(manifest.id, "interrupted")
    return RanUntil(
        manifest=manifest,
        decision=decision,
        stopped=stopped,
        interrupted=interrupted,
        capped=sitting.capped,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """The samples of a scenario in the order in which they are asked."""

    samples: tuple[Sample, ...]
    ends: tuple[int, ...]
    """Places after the last sample of each cluster."""
    heaviest: float
    """Weight of the heaviest cluster."""

    def upto(self, have: int) -> int:
        """Return the end of the cluster in which the sample in place `have` - 1 is."""
        return self.ends[min(bisect_left(self.ends, have), len(self.ends) - 1)]


def random_order(scenario: Scenario, *, seed: int | Literal["fixed"]) -> Order:
    """Return an order that is the same for all candidates, and when the run is resumed.

    A cluster's samples say partly the same: what is drawn at random are whole clusters.
    """
    groups: dict[object, list[Sample]] = {}
    for place, sample in enumerate(scenario.samples.load()):
        groups.setdefault(place if sample.cluster is None else sample.cluster, []).append(sample)
    number = 0 if seed == "fixed" else seed
    chance = random.Random(f"{number}/{scenario.name}")  # noqa: S311 - an order, no secret
    drawn = chance.sample(list(groups.values()), len(groups))
    return Order(
        samples=tuple(sample for group in drawn for sample in group),
        ends=tuple(accumulate(len(group) for group in drawn)),
        heaviest=max(sum(sample.weight for sample in group) for group in drawn),
    )


def _weighed(manifest: Manifest, orders: Mapping[str, Order]) -> Manifest:
    """Write down what the heaviest clusters weigh, before any of them is asked."""
    told = tuple(
        one.model_copy(update={"heaviest": orders[one.spec.name].heaviest})
        for one in manifest.scenarios
    )
    return manifest.model_copy(update={"scenarios": told})


@dataclass(frozen=True, slots=True, kw_only=True)
class _Talk:
    progress: Callback | None
    stop: StopSignal
    say: Callable[[str], None]


class _Sitting:
    """One sitting of such a run."""

    def __init__(
        self,
        project: Project,
        workspace: Workspace,
        manifest: Manifest,
        settings: RunSettings,
        scorings: dict[str, Scoring],
        orders: Mapping[str, Order],
    ) -> None:
        self.capped: RunOutcome | None = None
        self._needed: set[tuple[str, str | None]] | None = None
        self._project, self._workspace, self._manifest = project, workspace, manifest
        self._settings, self._scorings = settings, scorings
        self._candidates = with_keys(manifest, project)
        specs = [s.spec for s in project.scenarios]
        self._lanes = lanes_of(specs, project.tiers, project.policy)
        tests = max(1, len(self._lanes) * len(self._candidates))
        self._least = least_samples(specs, project.tiers, project.policy, tests=tests)
        self._race = Race(
            lanes=self._lanes,
            candidates=len(self._candidates),
            error=project.policy.error,
            margin=project.policy.margin,
        )
        self._order = orders
        self._left: dict[tuple[int, int], str] = {}
        """(lane, candidate) -> why and after how many samples it is asked no more."""

    def run(self, talk: _Talk) -> str:
        """Run until the end and return why it ended."""
        have, looked = 0, False
        most = max(len(order.samples) for order in self._order.values())
        while True:
            had, have = have, min(most, have + max(FIRST if not have else 10, int(GROWTH * have)))
            for text in self._leavers(had, have):
                talk.say(f"  {text}")
            outcome = run_to_end(self._batch(have, talk))
            if outcome is not None and outcome.status in ENDED:
                if outcome.status == "interrupted":
                    return "interrupted"
                self.capped = outcome
                return "cap"
            frame = load_frame(self._workspace, self._manifest.id, policy=self._project.policy)
            look(self._race, frame)
            ended = sum(state.ending is not None for state in self._race.states)
            talk.say(f"{many(have, 'sample')}: {ended} of {len(self._lanes)} scenarios settled")
            if self._race.settled and have >= min(self._least, most) and not looked:
                looked = True
                decision, _ = self.decide(frame, "decided")
                if decision.outcome != "not_decided":
                    decided = all(state.ending == "decided" for state in self._race.states)
                    return "decided" if decided else "futility"
                # The pass rates are settled but another gate is open: it is looked at once more,
                # at the end.
                self._needed = {
                    (scenario, name)
                    for tier in decision.tiers
                    if tier.outcome == "not_decided"
                    for scenario in tier.scenarios
                    for name in (*tier.contenders, tier.candidate)
                }
            if have >= most:
                return "all samples"

    def _leavers(self, had: int, have: int) -> Iterator[str]:
        """Yield who is asked no more from here on, though samples are left, and why."""
        names = [one.candidate.name for one in self._candidates]
        for lane, scenario in enumerate(self._project.scenarios):
            order, asked = self._order[scenario.name], self._asked(lane, have)
            done, count = order.upto(had) if had else 0, len(order.samples)
            for m, name in enumerate(names):
                if m in asked:
                    self._left.pop((lane, m), None)
                elif (lane, m) not in self._left and 0 < done < count:
                    where = self._out_in(lane, m)
                    why = why_out(self._race, lane if where is None else where, m, names=names)
                    if where not in {None, lane}:
                        why += f" on {self._lanes[where or 0].scenario}"
                    self._left[lane, m] = (
                        f"{name} was asked no more on {scenario.name} after {done} of "
                        f"{count} samples: {why}"
                    )
                    yield self._left[lane, m]

    async def _batch(self, have: int, talk: _Talk) -> RunOutcome | None:
        """Ask the first `have` samples of whoever is still worth asking."""
        last: RunOutcome | None = None
        async with open_targets([c.candidate for c in self._candidates]) as targets:
            for lane, scenario in enumerate(self._project.scenarios):
                asked = [self._candidates[m] for m in self._asked(lane, have)]
                if not asked:
                    continue
                job = self._job(scenario, asked, have)
                last = await execute(
                    job,
                    store=self._workspace,
                    targets=targets,
                    scorings=self._scorings,
                    progress=talk.progress,
                    stop=talk.stop,
                    runtime=Runtime(),
                )
                if last.status in ENDED:
                    return last
        return last

    def _job(self, scenario: Scenario, asked: Sequence[ManifestCandidate], have: int) -> Job:
        order = self._order[scenario.name]
        asked_now = order.samples[: order.upto(have)]
        some = replace(scenario, samples=Listed(samples=asked_now))
        per = sum(scenario.spec.trials_of(c.candidate) for c in asked)
        return Job(
            run_id=self._manifest.id,
            candidates=tuple(asked),
            scenarios=(some,),
            settings=self._settings,
            n_slots=per * len(asked_now),
            before=bill_of(self._workspace, self._manifest.id),
        )

    def _asked(self, lane: int, have: int) -> tuple[int, ...]:
        """Return who is worth asking: not out on any scenario of the same tier."""
        asked = self._race.asked(lane)
        if not asked:
            # settled on the pass rate: below the least size of another gate the proven go on
            verdicts = self._race.states[lane].verdicts
            asked = tuple(m for m, verdict in enumerate(verdicts) if verdict == "pass")
            if self._needed is not None:
                name = self._lanes[lane].scenario
                asked = tuple(
                    m
                    for m, entry in enumerate(self._candidates)
                    if (name, entry.candidate.name) in self._needed
                )
            elif have > self._least:
                asked = ()
        return tuple(m for m in asked if self._out_in(lane, m) is None)

    def _out_in(self, lane: int, m: int) -> int | None:
        """Return the lane of the same tier on which a candidate missed the floor, if any."""
        tier = self._project.scenarios[lane].spec.tier
        for other, scenario in enumerate(self._project.scenarios):
            missed = self._race.states[other].verdicts[m] == "fail"
            same = tier is not None and scenario.spec.tier == tier
            if same and missed and self._lanes[other].floor is not None:
                return other
        return None

    def decide(self, frame: Frame, reason: str) -> tuple[Decision, Stopped]:
        """Decide with the verdicts of the race, and say what it saved."""
        look(self._race, frame)
        settled = verdicts_of(self._race, [c.candidate.name for c in self._candidates])
        people = results_of_run(self._workspace, frame.manifest.id)
        decision = decide_frame(
            frame,
            policy=self._project.policy,
            tiers=self._project.tiers,
            outside=evidence_beside(self._workspace, frame.manifest, people=people),
            votes=people_votes(people),
            settled=settled,
            looks=2,
        )
        stopped = self._stopped(frame, reason, decided=decision.outcome == "decided")
        return replace(decision, stopped=stopped), stopped

    def _stopped(self, frame: Frame, reason: str, *, decided: bool) -> Stopped:
        pairs = max(1, len(self._candidates) * (len(self._candidates) - 1) // 2)
        fixed = recommend(pairs=pairs, margin=self._project.policy.margin).all_pairs
        planned = sum(
            min(fixed, len(self._order[s.name].samples))
            * sum(s.spec.trials_of(c.candidate) for c in self._candidates)
            for s in self._project.scenarios
        )
        calls = len(frame.candidate)
        saved = 1 - calls / planned if decided and reason == "decided" and planned else None
        words = {
            "decided": "Stopped at the decision",
            "futility": "Stopped in futility: what is left cannot differ by more than the margin",
            "cap": "Stopped at the spend cap, undecided",
            "interrupted": "Interrupted",
            "all samples": "Stopped undecided: all samples are used up",
        }[reason]
        claim = (
            f": {many(calls, 'call')} instead of {planned:,} for a fixed size of the same power, "
            f"{100 * saved:.0f} % saved."
            if saved is not None and saved > 0
            else f" after {many(calls, 'call')}; no saving is claimed."
        )
        shown = "cap" if reason == "interrupted" else reason
        return Stopped(
            reason=shown,  # type: ignore[arg-type]  # one of the four words
            calls=calls,
            planned=planned,
            saved=saved,
            text=words + claim + "".join(f" {told}." for told in self._left.values()),
        )
