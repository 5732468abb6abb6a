"""One trial from its first request to its last: the single call, or the scripted turns.

A step is one call with the transcript so far. Whoever adds steps of another kind
(a tool loop) adds them here, beside `_next_turn`, and leaves the rest alone.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from befit.core.completion import Completion, Request
from befit.core.failure import Failure
from befit.core.message import Message
from befit.core.protocols import Target
from befit.core.run import RunSettings
from befit.core.sample import Sample
from befit.core.scenario import Caps
from befit.core.trial import Trial
from befit.engine.calls import Caller, Failed, Ledger
from befit.engine.clock import Clock
from befit.engine.job import Place
from befit.engine.seeds import request_seed
from befit.errors import DataError


@dataclass(slots=True)
class _Talk:
    """A conversation as it grows."""

    ledger: Ledger
    transcript: list[Message] = field(default_factory=list)
    completions: list[Completion] = field(default_factory=list)

    def hear(self, answer: Completion) -> None:
        """Add an answer to what was said."""
        self.completions.append(answer)
        self.transcript.append(
            Message(role="assistant", content=answer.text, tool_calls=answer.tool_calls)
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversing:
    """What is needed to hold conversations at one endpoint."""

    caller: Caller
    clock: Clock
    settings: RunSettings

    async def trial(self, place: Place, target: Target) -> Trial:
        """Return the finished trial of `place`, failed or not.

        Raises:
            Abandoned: the run is draining; nothing of the trial is kept.
        """
        sample, pairing = place.sample, place.pairing
        talk = _Talk(Ledger(started=self.clock.monotonic()))
        started_at = self.clock.wall()
        seed = request_seed(self.settings.seed, sample_id=sample.id, repeat=place.slot.repeat)
        failure: Failure | None
        try:
            talk.transcript.extend(pairing.renderer.render(sample))
        except DataError as error:
            failure = Failure(kind="bad_request", message=str(error)[:500])
        else:
            failure = await self._steps(place, target, talk, seed)
        return Trial(
            key=place.slot.key,
            transcript=tuple(talk.transcript),
            completions=tuple(talk.completions),
            failure=failure,
            attempts=tuple(talk.ledger.attempts),
            cost=talk.ledger.cost,
            price_snapshot=pairing.price_snapshot,
            started_at=started_at,
            seed=seed,
        )

    async def _steps(self, place: Place, target: Target, talk: _Talk, seed: int) -> Failure | None:
        sample, pairing = place.sample, place.pairing
        candidate = pairing.candidate
        tools = pairing.tools_for(sample)
        while True:
            request = Request(
                messages=tuple(talk.transcript),
                sampling=candidate.sampling,
                tools=tools,
                response_schema=pairing.response_schema,
                seed=seed,
                stream=candidate.stream,
                timeouts=pairing.timeouts,
                metadata=_metadata(place, len(talk.completions)),
            )
            outcome = await self.caller.call(target, request, pairing, talk.ledger)
            if isinstance(outcome, Failed):
                # What the candidate said before its own failure is kept, and scores 0;
                # what the network cut is no answer.
                if outcome.partial is not None and outcome.failure.blame == "candidate":
                    talk.hear(outcome.partial)
                return outcome.failure
            talk.hear(outcome)
            step = _next_turn(sample, pairing.spec.caps, talk)
            if not isinstance(step, Message):
                return step
            talk.transcript.append(step)


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


def _next_turn(sample: Sample, caps: Caps, talk: _Talk) -> Message | Failure | None:
    """Return the next scripted turn, None at the end, or the failure of a cap that is reached."""
    answered = len(talk.completions)
    if answered >= len(sample.turns):
        return None
    if answered >= caps.turns:
        return Failure(
            kind="scripted_turn",
            message=f"the script has {len(sample.turns)} turns, the cap is {caps.turns}",
        )
    usages = [c.usage for c in talk.completions if c.usage is not None]
    tokens = sum(usage.input_tokens + usage.output_tokens for usage in usages)
    if caps.tokens is not None and tokens >= caps.tokens:
        return Failure(kind="cap_reached", message=f"{tokens} tokens used, cap {caps.tokens}")
    spent = talk.ledger.cost
    if caps.cost is not None and spent is not None and spent >= caps.cost:
        return Failure(kind="cap_reached", message=f"${spent} spent, cap ${caps.cost}")
    return Message(role="user", content=sample.turns[answered].user)
