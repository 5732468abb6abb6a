"""One trial from its first request to its last: the single call, or the scripted turns.

A step is one call with the transcript so far. Whoever adds steps of another kind
(a tool loop) adds them here, beside `_next_turn`, and leaves the rest alone.
"""

from __future__ import annotations

from dataclasses import dataclass

from befit.core.completion import Completion, Request
from befit.core.failure import Failure
from befit.core.message import Message
from befit.core.protocols import Target
from befit.core.run import RunSettings
from befit.core.sample import Sample
from befit.core.scenario import Caps
from befit.core.trial import Trial
from befit.engine.calls import Caller, Ledger
from befit.engine.clock import Clock
from befit.engine.job import Place
from befit.engine.seeds import request_seed
from befit.errors import DataError


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
        ledger = Ledger(started=self.clock.monotonic())
        started_at = self.clock.wall()
        seed = request_seed(self.settings.seed, sample_id=sample.id, repeat=place.slot.repeat)
        transcript: list[Message] = []
        completions: list[Completion] = []
        failure: Failure | None
        try:
            transcript.extend(pairing.renderer.render(sample))
        except DataError as error:
            failure = Failure(kind="bad_request", message=str(error)[:500])
        else:
            failure = await self._steps(place, target, ledger, transcript, completions, seed)
        return Trial(
            key=place.slot.key,
            transcript=tuple(transcript),
            completions=tuple(completions),
            failure=failure,
            attempts=tuple(ledger.attempts),
            cost=ledger.cost if completions else None,
            price_snapshot=pairing.price_snapshot,
            started_at=started_at,
            seed=seed,
        )

    async def _steps(  # the transcript and the completions are grown in place
        self,
        place: Place,
        target: Target,
        ledger: Ledger,
        transcript: list[Message],
        completions: list[Completion],
        seed: int,
    ) -> Failure | None:
        sample, pairing = place.sample, place.pairing
        candidate = pairing.candidate
        tools = pairing.tools_for(sample)
        while True:
            request = Request(
                messages=tuple(transcript),
                sampling=candidate.sampling,
                tools=tools,
                response_schema=pairing.response_schema,
                seed=seed,
                stream=candidate.stream,
                timeouts=pairing.timeouts,
                metadata=_metadata(place, len(completions)),
            )
            outcome = await self.caller.call(target, request, pairing, ledger)
            if isinstance(outcome, Failure):
                return outcome
            completions.append(outcome)
            transcript.append(
                Message(role="assistant", content=outcome.text, tool_calls=outcome.tool_calls)
            )
            step = _next_turn(sample, pairing.spec.caps, completions, ledger)
            if not isinstance(step, Message):
                return step
            transcript.append(step)


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


def _next_turn(
    sample: Sample, caps: Caps, completions: list[Completion], ledger: Ledger
) -> Message | Failure | None:
    """Return the next scripted turn, None at the end, or the failure of a cap that is reached."""
    said = len(completions)
    if said >= len(sample.turns):
        return None
    if said >= caps.turns:
        return Failure(
            kind="scripted_turn",
            message=f"the script has {len(sample.turns)} turns, the cap is {caps.turns}",
        )
    tokens = sum(
        c.usage.input_tokens + c.usage.output_tokens for c in completions if c.usage is not None
    )
    if caps.tokens is not None and tokens >= caps.tokens:
        return Failure(kind="cap_reached", message=f"{tokens} tokens used, cap {caps.tokens}")
    if caps.cost is not None and ledger.cost is not None and ledger.cost >= caps.cost:
        return Failure(kind="cap_reached", message=f"${ledger.cost} spent, cap ${caps.cost}")
    return Message(role="user", content=sample.turns[said].user)
