"""The contract of a target, for plug-in authors.

    class TestMine(TargetContract):
        def target(self): return MyTarget(Candidate(name="a", target="mine", ...))

A target that can be made to fail also gives `failing_target`.
"""

from __future__ import annotations

import asyncio
from dataclasses import fields
from typing import get_args

import pytest

from befit.core.candidate import Sampling
from befit.core.completion import Completion, Request
from befit.core.failure import FailureKind
from befit.core.message import Message
from befit.core.protocols import Target
from befit.errors import TargetError

_LONGEST_MESSAGE = 500


def ask(text: str, *, stream: bool = True) -> Request:
    """Return a small request with one user message."""
    return Request(
        messages=(Message(role="user", content=text),),
        sampling=Sampling(temperature=0, max_tokens=16),
        stream=stream,
        metadata={"scenario": "contract", "sample_id": text, "repeat": "0"},
    )


class TargetContract:
    """What every target keeps to. Subclass it as a pytest class and give `target`."""

    def target(self) -> Target:
        """Return a fresh target that answers."""
        raise TypeError("a subclass of TargetContract has to define target()")

    def failing_target(self) -> Target | None:
        """Return a target whose every call fails; None where that cannot be arranged."""
        return None

    def prompt(self) -> str:
        """Return a prompt the target has an answer to."""
        return "What is the capital of France?"

    def test_it_is_a_target(self) -> None:
        """It has the methods of the protocol."""
        target = self.target()
        assert isinstance(target, Target)
        asyncio.run(target.aclose())

    def test_it_answers_and_its_times_are_in_order(self) -> None:
        """Seconds since the scheduled moment, each at or after the one before it."""
        completion = _answer(self.target(), ask(self.prompt()))
        assert isinstance(completion, Completion)
        assert isinstance(completion.text, str)
        timing = completion.timing
        steps = (timing.sent, timing.first_byte, timing.first_token, timing.last_token, timing.end)
        seen = [step for step in steps if step is not None]
        assert seen[0] >= 0
        assert seen == sorted(seen)

    def test_an_unstreamed_answer_has_no_token_times(self) -> None:
        """Nobody saw them."""
        timing = _answer(self.target(), ask(self.prompt(), stream=False)).timing
        assert (timing.first_token, timing.first_output_token, timing.last_token) == (None,) * 3

    def test_its_token_counts_are_unknown_or_not_negative(self) -> None:
        """An unknown usage is None, never zeros by guess."""
        usage = _answer(self.target(), ask(self.prompt())).usage
        if usage is not None:
            assert min(getattr(usage, field.name) for field in fields(usage)) >= 0

    def test_several_requests_at_a_time_are_all_answered(self) -> None:
        """Inside one event loop; a target may make them wait."""

        async def several() -> list[Completion]:
            target = self.target()
            try:
                requests = [ask(self.prompt()) for _ in range(4)]
                return await asyncio.gather(*(target.generate(request) for request in requests))
            finally:
                await target.aclose()

        assert len(asyncio.run(several())) == 4  # noqa: PLR2004 (as many as were asked)

    def test_it_can_be_closed_unused_and_twice(self) -> None:
        """Closing frees what there is, whatever there is."""

        async def twice() -> None:
            target = self.target()
            await target.aclose()
            await target.aclose()

        asyncio.run(twice())

    def test_a_cancelled_request_leaves_it_usable(self) -> None:
        """A run that is stopped cancels what is in flight."""

        async def cancelled() -> Completion:
            target = self.target()
            try:
                task = asyncio.ensure_future(target.generate(ask(self.prompt())))
                await asyncio.sleep(0.01)
                task.cancel()
                await asyncio.gather(task, return_exceptions=True)
                return await target.generate(ask(self.prompt()))
            finally:
                await target.aclose()

        assert isinstance(asyncio.run(cancelled()), Completion)

    def test_a_failure_is_a_classified_target_error(self) -> None:
        """Of a known kind, in at most 500 characters."""
        target = self.failing_target()
        if target is None:
            pytest.skip("this target cannot be made to fail")
        with pytest.raises(TargetError) as caught:
            _answer(target, ask(self.prompt()))
        assert caught.value.failure.kind in get_args(FailureKind)
        assert 0 < len(caught.value.failure.message) <= _LONGEST_MESSAGE


def _answer(target: Target, request: Request) -> Completion:
    async def once() -> Completion:
        try:
            return await target.generate(request)
        finally:
            await target.aclose()

    return asyncio.run(once())
