"""The fault matrix: what becomes of a request when its primary fails in each known way.

The primary is played by a faulty endpoint (the fake provider, which reads its
fault from a mark in the prompt); the fallback is real. A gateway can be graded
by the same marks: it is one target then, with the faults behind it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from befit.core.completion import Request
from befit.core.message import Message
from befit.core.protocols import Target
from befit.engine.fallback_chain import Chained, Member, run_chain
from befit.errors import TargetError

Expected = Literal["fails over", "stays", "answers"]
TOLD = (
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen twenty"
)
"""What the healthy endpoint is asked to say, so that a cut answer shows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FaultCase:
    """One fault: its mark, its name for people, and what should come of it."""

    mark: str
    """Of the fake provider; "" is an endpoint where nobody listens."""
    name: str
    expected: Expected


_CASES: tuple[tuple[str, str, Expected], ...] = (
    ("", "refused connection", "fails over"),
    ("reset", "connection reset", "fails over"),
    ("429", "429 with Retry-After", "fails over"),
    ("429_bare", "429 without Retry-After", "fails over"),
    ("500", "500", "fails over"),
    ("503", "503", "fails over"),
    ("529", "529 overloaded", "fails over"),
    ("401", "401 bad key", "fails over"),
    ("402", "402 no credit", "fails over"),
    ("404", "404 model gone", "fails over"),
    ("400", "400 unsupported parameter", "stays"),
    ("context_length", "400 context length", "fails over"),
    ("error_in_200", "200, then an error event", "fails over"),
    ("role_then_error", "empty first chunk, then an error", "fails over"),
    ("stall", "stall before the first token", "fails over"),
    ("cut:5", "cut after 5 tokens", "fails over"),
    ("cut_inside:5", "cut inside an event", "fails over"),
    ("ends_early:5", "polite end without a finish reason", "fails over"),
    ("stall_after:5", "stall after 5 tokens", "fails over"),
    ("malformed:5", "malformed event after 5 tokens", "fails over"),
    ("not_json", "200 with an HTML page", "fails over"),
    ("empty", "empty answer", "answers"),
    ("trickle:0.02", "trickle", "answers"),
    ("no_done", "missing [DONE]", "answers"),
    ("no_usage", "no token counts", "answers"),
    ("length:5", "finish reason length", "answers"),
    ("content_filter", "finish reason content_filter", "stays"),
)
FAULTS = tuple(FaultCase(mark=mark, name=name, expected=due) for mark, name, due in _CASES)


@dataclass(frozen=True, slots=True, kw_only=True)
class FaultRow:
    """What came of one fault over several tries."""

    case: FaultCase
    results: tuple[Chained, ...]

    def came(self, one: Chained, primary: str) -> Expected | Literal["fails"]:
        """Return what one try came to."""
        if one.served_by is None:
            return "stays" if len({d.name for d in one.dead}) == 1 else "fails"
        return "answers" if one.served_by == primary else "fails over"

    def right(self, primary: str) -> int:
        """Return how many tries came to what is expected."""
        return sum(self.came(one, primary) == self.case.expected for one in self.results)


def marked(request: Request, mark: str, *, number: int) -> Request:
    """Return a request that asks the fake provider for a fault, and for the known text."""
    text = f"try {number} [[say:{TOLD}]]"
    if mark:
        text += f"[[fault:{mark}]]"
    return replace(request, messages=(Message(role="user", content=text),))


async def run_matrix(
    primary: Member,
    nobody: Member,
    fallback: Member,
    *,
    cases: Sequence[FaultCase] = FAULTS,
    repeats: int = 5,
    at_once: int = 4,
) -> tuple[FaultRow, ...]:
    """Run every fault `repeats` times.

    Args:
        primary: the faulty endpoint.
        nobody: one where nobody listens.
        fallback: the real one, with a request of its own.
        cases: which faults.
        repeats: tries for each.
        at_once: tries in flight.
    """
    places = asyncio.Semaphore(at_once)

    async def one(case: FaultCase, number: int) -> Chained:
        async with places:
            first = nobody if not case.mark else primary
            request = marked(first.request, case.mark, number=number)
            return await run_chain([replace(first, request=request), fallback])

    rows = []
    for case in cases:
        results = await asyncio.gather(*(one(case, number) for number in range(repeats)))
        rows.append(FaultRow(case=case, results=tuple(results)))
    return tuple(rows)


Graded = Literal["whole", "cut in silence", "spliced", "clean error", "hung"]


@dataclass(frozen=True, slots=True, kw_only=True)
class GatewayRow:
    """What a gateway made of one fault behind it."""

    case: FaultCase
    graded: Graded
    seconds: float
    first_token: float | None
    text: str = ""

    @property
    def good(self) -> bool:
        """Whether a caller could live with it: a whole answer, or an honest error where due."""
        if self.case.expected == "stays" or self.case.mark.startswith(("cut", "stall_after")):
            return self.graded in {"whole", "clean error"}
        if self.case.mark.startswith(("malformed", "ends_early")):
            return self.graded in {"whole", "clean error"}
        if self.case.mark.startswith(("length", "empty")):
            return self.graded not in {"hung", "spliced"}
        return self.graded == "whole"


async def grade_gateway(
    target: Target, request: Request, *, cases: Sequence[FaultCase] = FAULTS
) -> tuple[GatewayRow, ...]:
    """Send each fault's mark through a gateway whose primary is the fake provider."""
    loop = asyncio.get_running_loop()
    rows = []
    for number, case in enumerate(case for case in cases if case.mark):
        asked = loop.time()
        sent = replace(marked(request, case.mark, number=number), scheduled=asked)
        try:
            answer = await target.generate(sent)
        except TargetError as error:
            kind = error.failure.kind
            graded: Graded = "hung" if kind.startswith("timeout") else "clean error"
            rows.append(
                GatewayRow(
                    case=case,
                    graded=graded,
                    seconds=loop.time() - asked,
                    first_token=None,
                    text=f"{kind}: {error.failure.message}"[:200],
                )
            )
            continue
        text = answer.text.strip()
        graded = (
            "whole" if text == TOLD else "cut in silence" if TOLD.startswith(text) else "spliced"
        )
        rows.append(
            GatewayRow(
                case=case,
                graded=graded,
                seconds=loop.time() - asked,
                first_token=answer.timing.first_token,
                text=text[:200],
            )
        )
    return tuple(rows)
