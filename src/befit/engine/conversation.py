"""One trial from its first request to its last: one call, a tool loop, turns, a simulated user.

A step is one call with the transcript so far. After it the world answers the
tools that were called, else the user speaks (by script or simulated), else the
trial is at its end. Caps on steps, tokens and cost end it before that.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal

from befit.core.completion import Completion, Request
from befit.core.failure import Failure
from befit.core.message import Message
from befit.core.protocols import Target
from befit.core.run import RunSettings
from befit.core.scenario import Caps
from befit.core.trial import Trial
from befit.engine.calls import Caller, Failed, Ledger
from befit.engine.clock import Clock
from befit.engine.job import Pairing, Place
from befit.engine.scoring import Scoring
from befit.engine.script import ScriptError, seen_by_user, words
from befit.engine.seeds import request_seed
from befit.engine.world import NoJsonError, Workshop
from befit.errors import BefitError, DataError


@dataclass(frozen=True, slots=True, kw_only=True)
class Player:
    """The simulated user of a scenario: its target, and itself as a pairing."""

    target: Target
    pairing: Pairing


@dataclass(slots=True)
class _Talk:
    """A conversation as it grows."""

    place: Place
    target: Target
    seed: int
    ledger: Ledger
    user_ledger: Ledger | None = None
    """Where there is a simulated user."""
    workshop: Workshop | None = None
    transcript: list[Message] = field(default_factory=list)
    completions: list[Completion] = field(default_factory=list)
    answers: list[str] = field(default_factory=list)
    """The answers that ended a turn."""
    rounds: int = 0
    """Rounds of tool calls so far."""

    def hear(self, answer: Completion) -> None:
        """Add an answer to what was said."""
        self.completions.append(answer)
        self.transcript.append(
            Message(role="assistant", content=answer.text, tool_calls=answer.tool_calls)
        )

    def trial(self, failure: Failure | None, *, started_at: float) -> Trial:
        """Return the conversation as it stands as a trial."""
        return Trial(
            key=self.place.slot.key,
            transcript=tuple(self.transcript),
            completions=tuple(self.completions),
            failure=failure,
            attempts=tuple(self.ledger.attempts),
            cost=self.ledger.cost,
            price_snapshot=self.place.pairing.price_snapshot,
            started_at=started_at,
            seed=self.seed,
            state=None if self.workshop is None else self.workshop.state,
            user_cost=None if self.user_ledger is None else self.user_ledger.cost,
            waited=self.ledger.waited,
            retry_cost=self.ledger.retried,
            untold_tries=self.ledger.untold,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversing:
    """What is needed to hold conversations at one endpoint."""

    caller: Caller
    clock: Clock
    settings: RunSettings
    players: Mapping[str, Player] = field(default_factory=dict)
    """Scenario name -> its simulated user."""
    scorings: Mapping[str, Scoring] = field(default_factory=dict)
    """Scenario name -> what judges its turns, for those that stop at a failed one."""

    async def trial(self, place: Place, target: Target) -> Trial:
        """Return the finished trial of `place`, failed or not.

        Raises:
            Abandoned: the run is draining; nothing of the trial is kept.
        """
        sample, pairing = place.sample, place.pairing
        seed = request_seed(self.settings.seed, sample_id=sample.id, repeat=place.slot.repeat)
        now = self.clock.monotonic()
        talk = _Talk(place, target, seed, Ledger(started=now))
        started_at = self.clock.wall()
        failure: Failure | None
        try:
            talk.transcript.extend(pairing.renderer.render(sample))
            if sample.world is not None or pairing.spec.world is not None:
                talk.workshop = _workshop(place)
        except DataError as error:
            failure = Failure(kind="bad_request", message=str(error)[:500])
        except BefitError as error:  # the world's Python
            failure = Failure(kind="scripted_turn", message=str(error)[:500])
        else:
            failure = await self._steps(talk)
        return talk.trial(failure, started_at=started_at)

    async def _steps(self, talk: _Talk) -> Failure | None:
        place, pairing = talk.place, talk.place.pairing
        candidate = pairing.candidate
        tools = pairing.tools_for(place.sample)
        player = self.players.get(place.slot.scenario)
        if player is not None and all(m.role != "user" for m in talk.transcript):
            opening = await self._simulated(talk, player)
            if isinstance(opening, Failure):
                return opening
            talk.transcript += opening
        while True:
            request = Request(
                messages=tuple(talk.transcript),
                sampling=candidate.sampling,
                tools=tools,
                response_schema=pairing.response_schema,
                seed=talk.seed,
                stream=candidate.stream,
                timeouts=pairing.timeouts,
                metadata=_metadata(place, len(talk.completions)),
            )
            outcome = await self.caller.call(talk.target, request, pairing, talk.ledger)
            if isinstance(outcome, Failed):
                # What the candidate said before its own failure is kept, and scores 0;
                # what the network cut is no answer.
                if outcome.partial is not None and outcome.failure.blame == "candidate":
                    talk.hear(outcome.partial)
                return outcome.failure
            talk.hear(outcome)
            if outcome.tool_calls and talk.workshop is not None:
                step = await _use_tools(talk, talk.workshop, outcome)
            else:
                talk.answers.append(outcome.text)
                if player is None and not place.sample.turns:
                    return None
                step = [] if self._stops(talk) else await self._next_turn(talk)
            if not step:
                return None
            if isinstance(step, Failure):
                return step
            talk.transcript += step

    def _stops(self, talk: _Talk) -> bool:
        """Tell whether the scenario ends here because the turn just answered has failed."""
        if not talk.place.pairing.spec.stop_at_failed_turn:
            return False
        scoring = self.scorings.get(talk.place.slot.scenario)
        so_far = talk.trial(None, started_at=0.0)
        return scoring is not None and scoring.turn_fails(talk.place.sample, so_far)

    async def _next_turn(self, talk: _Talk) -> list[Message] | Failure:
        """Return what the user says next, nothing at the end, or the failure of a cap."""
        sample, caps = talk.place.sample, talk.place.pairing.spec.caps
        answered = len(talk.answers)
        player = self.players.get(talk.place.slot.scenario)
        if answered >= len(sample.turns):
            if player is None or answered >= caps.turns:
                return []
            return _capped(caps, talk) or await self._simulated(talk, player)
        if answered >= caps.turns:
            return Failure(
                kind="scripted_turn",
                message=f"the script has {len(sample.turns)} turns, the cap is {caps.turns}",
            )
        failure = _capped(caps, talk)
        if failure is not None:
            return failure
        try:
            said = words(sample.turns[answered], answers=talk.answers, sample=sample)
        except ScriptError as error:
            return Failure(kind="scripted_turn", message=str(error)[:500])
        return [Message(role="user", content=said)]

    async def _simulated(self, talk: _Talk, player: Player) -> list[Message] | Failure:
        """Ask the simulated user; its failure is never the candidate's."""
        user = talk.place.pairing.spec.user
        if user is None:
            return []
        model = player.pairing.candidate
        request = Request(
            messages=seen_by_user(user, talk.place.sample, talk.transcript),
            sampling=model.sampling,
            seed=talk.seed,
            stream=model.stream,
            timeouts=player.pairing.timeouts,
            metadata={**_metadata(talk.place, len(talk.answers)), "candidate": model.name},
        )
        if talk.user_ledger is None:
            talk.user_ledger = Ledger(started=talk.ledger.started)
        outcome = await self.caller.call(player.target, request, player.pairing, talk.user_ledger)
        if isinstance(outcome, Failed):
            told = f"the simulated user failed: {outcome.failure.message}"[:500]
            kind = outcome.failure.kind
            own = outcome.failure.blame == "infrastructure"
            return Failure(kind=kind if own else "target_error", message=told)
        if not outcome.text.strip():
            # Broken, not done: the conversation it was to have was never had.
            return Failure(kind="target_error", message="the simulated user said nothing")
        if user.stop in outcome.text:
            return []
        return [Message(role="user", content=outcome.text)]


def _workshop(place: Place) -> Workshop | None:
    """Return the world that answers this trial's tools; None where there is none."""
    own, shared = place.sample.world, place.pairing.spec.world
    world = own if shared is None else shared.under(own)
    return None if world is None else Workshop(world, place.pairing.tools_for(place.sample))


async def _use_tools(
    talk: _Talk, workshop: Workshop, outcome: Completion
) -> list[Message] | Failure:
    """Return the answers to all calls of one completion, in order, or the failure of a cap."""
    caps = talk.place.pairing.spec.caps
    talk.rounds += 1
    if talk.rounds > caps.steps:
        return Failure(kind="cap_reached", message=f"{caps.steps} rounds of tool calls, the cap")
    failure = _capped(caps, talk)
    if failure is not None:
        return failure
    try:
        return [await workshop.answer(call) for call in outcome.tool_calls]
    except NoJsonError as error:
        return Failure(kind="scripted_turn", message=str(error))


def _capped(caps: Caps, talk: _Talk) -> Failure | None:
    """Return the failure of a cap on tokens or cost that is reached."""
    if caps.tokens is not None:
        usages = [c.usage for c in talk.completions if c.usage is not None]
        tokens = sum(usage.input_tokens + usage.output_tokens for usage in usages)
        if tokens >= caps.tokens:
            return Failure(kind="cap_reached", message=f"{tokens} tokens used, cap {caps.tokens}")
    spent = talk.ledger.cost
    if caps.cost is not None and spent is not None and spent >= Decimal(repr(caps.cost)):
        return Failure(kind="cap_reached", message=f"${spent} spent, cap ${caps.cost}")
    return None


def _metadata(place: Place, step: int) -> dict[str, str]:
    slot = place.slot
    return {
        "candidate": slot.candidate,
        "scenario": slot.scenario,
        "sample": slot.sample_id,
        "variant": slot.variant,
        "repeat": str(slot.repeat),
        "step": str(step),
    }
