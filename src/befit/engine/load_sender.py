"""Calls of a load level against a real target: a scenario's samples in turn, scored on arrival.

Quality and load are measured on the same calls: each answer is scored as in any
run, and only the verdict is kept. A trace's token counts are met by cutting or
repeating the prompt's filler and by `max_tokens`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from befit.core.completion import Completion, Request
from befit.core.failure import Failure
from befit.core.message import Message
from befit.core.price import cost
from befit.core.protocols import Target
from befit.core.sample import Sample
from befit.core.trial import Trial
from befit.engine.budget import upper_bound
from befit.engine.calls import GRACE
from befit.engine.job import Pairing
from befit.engine.load_log import NAN, Call
from befit.engine.load_run import Bound, Sent
from befit.engine.load_shape import Arrival
from befit.engine.scoring import PASS, Scoring
from befit.engine.seeds import request_seed
from befit.engine.tokens import OUTPUT_WHEN_UNSET, input_bound
from befit.errors import TargetError
from befit.plugins import OwnCode

FILLER = "lorem "
"""One word of it is about one token in every tokenizer in use."""


class TargetSender:
    """Sends the samples of one scenario to one target, again from the start when they end.

    Args:
        target: what answers.
        pairing: candidate and scenario.
        samples: those that are sent, in order; at least one.
        scoring: scores each answer; None leaves it unscored.
        trace: token counts by call number, for a replay.
        seed: of the run.
    """

    def __init__(
        self,
        target: Target,
        pairing: Pairing,
        samples: Sequence[Sample],
        *,
        scoring: Scoring | None = None,
        trace: tuple[Arrival, ...] = (),
        seed: int = 0,
    ) -> None:
        self._target = target
        self._pairing = pairing
        self._scoring = scoring
        self._samples = tuple(samples)
        self._trace = trace
        self._seed = seed
        self._messages = [pairing.renderer.render(sample) for sample in self._samples]

    def bound(self, index: int, /) -> Bound:
        """Return the most that call number `index` can use."""
        request = self._request(index)
        given = input_bound(request.messages, static=self._pairing.static_bytes)
        output = request.sampling.max_tokens or OUTPUT_WHEN_UNSET
        price = self._pairing.price
        if price is None:
            return Bound(tokens=given + output)
        usd = upper_bound(price, input_tokens=given, output_tokens=output)
        return Bound(tokens=given + output, usd=usd)

    async def send(self, index: int, due: float, /) -> Sent:
        """Make one call and score its answer; failures are data."""
        loop = asyncio.get_running_loop()
        request = replace(self._request(index), scheduled=due)
        started = loop.time() - due
        answer: Completion | None = None
        failure: Failure | None = None
        try:
            async with asyncio.timeout(request.timeouts.total + GRACE):
                with OwnCode():
                    answer = await self._target.generate(request)
        except TargetError as error:
            answer, failure = error.partial, error.failure
        except TimeoutError:
            failure = Failure(kind="timeout_total", message="the target ignored its time limit")
        except Exception as error:  # noqa: BLE001 - a target's bug is this call's failure only
            failure = Failure(kind="target_error", message=f"{type(error).__name__}"[:500])
        ended = loop.time() - due
        call = _call(answer, failure, started=started, ended=ended)
        usage = None if answer is None else answer.usage
        told = usage is not None or failure is None
        usd = cost(usage, self._pairing.price) if told else None
        if usd is not None:
            call = replace(call, cost=float(usd))
        if failure is None and answer is not None:
            call = replace(call, passed=self._verdict(index, request, answer))
        used = None if usage is None else usage.input_tokens + usage.output_tokens
        if failure is not None and usage is None:
            used, usd = (0, None) if failure.kind == "connect" else (None, None)
        return Sent(call=call, tokens=used, usd=usd)

    def _request(self, index: int) -> Request:
        at = index % len(self._samples)
        sample, pairing = self._samples[at], self._pairing
        messages, sampling = self._messages[at], pairing.candidate.sampling
        if index < len(self._trace):
            arrival = self._trace[index]
            messages = _as_long(messages, arrival.input_tokens)
            if arrival.output_tokens is not None:
                sampling = sampling.model_copy(update={"max_tokens": arrival.output_tokens})
        return Request(
            messages=messages,
            sampling=sampling,
            tools=pairing.tools_for(sample),
            response_schema=pairing.response_schema,
            seed=request_seed(self._seed, sample_id=sample.id, repeat=index // len(self._samples)),
            stream=pairing.candidate.stream,
            timeouts=pairing.timeouts,
            metadata={"sample": sample.id, "scenario": pairing.spec.name, "load": str(index)},
        )

    def _verdict(self, index: int, request: Request, answer: Completion) -> float:
        if self._scoring is None or index < len(self._trace):
            return NAN
        sample = self._samples[index % len(self._samples)]
        if sample.turns:
            return NAN  # only its first turn is sent
        slot = self._pairing.slot(sample, input_fingerprint=sample.input_fingerprint, repeat=0)
        said = Message(role="assistant", content=answer.text, tool_calls=answer.tool_calls)
        trial = Trial(key=slot.key, transcript=(*request.messages, said), completions=(answer,))
        for score in self._scoring.score(sample, trial):
            if score.name == PASS and score.value is not None:
                return score.value
        return NAN


def _call(
    answer: Completion | None, failure: Failure | None, *, started: float, ended: float
) -> Call:
    if answer is None:
        return Call(
            scheduled=0.0,
            sent=started,
            end=ended,
            failure=None if failure is None else failure.kind,
        )
    timing, usage = answer.timing, answer.usage
    hidden = usage is not None and usage.reasoning_output > 0 and not answer.reasoning
    return Call(
        scheduled=0.0,
        # What a target keeps waiting itself (a local model serves one at a time) is its service.
        sent=started,
        end=timing.end or ended,
        first_token=_known(timing.first_token),
        first_output=_known(timing.first_output_token),
        last_token=_known(timing.last_token),
        input_tokens=NAN if usage is None else float(usage.input_tokens),
        output_tokens=NAN if usage is None else float(usage.output_tokens),
        hidden_reasoning=float(hidden),
        failure=None if failure is None else failure.kind,
    )


def _known(moment: float | None) -> float:
    return NAN if moment is None else moment


def _as_long(messages: tuple[Message, ...], tokens: int | None) -> tuple[Message, ...]:
    """Return messages whose last text is filled up to about `tokens` tokens."""
    if tokens is None:
        return messages
    last = messages[-1]
    words = sum(len(message.text.split()) for message in messages)
    if words >= tokens or not isinstance(last.content, str):
        return messages
    filled = FILLER * (tokens - words) + last.content
    return (*messages[:-1], last.model_copy(update={"content": filled}))
