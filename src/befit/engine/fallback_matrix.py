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


Graded = Literal["whole", "another's whole", "cut in silence", "spliced", "clean error", "hung"]
"""`another's whole` is the answer of a fallback that says something else than it was asked to."""
_WORDS = tuple(TOLD.split())
_SENDING = frozenset(
    {"cut", "cut_inside", "ends_early", "stall_after", "malformed", "length"}
)  # fmt: skip
_WITH_ALL = frozenset({"trickle", "no_done", "no_usage"})


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
        if self.graded in {"whole", "another's whole"}:
            return True
        broken_off = ("cut", "stall_after", "malformed", "ends_early")
        if self.case.expected == "stays" or self.case.mark.startswith(broken_off):
            return self.graded == "clean error"
        if self.case.mark.startswith(("length", "empty")):
            return self.graded not in {"hung", "spliced"}
        return False


def words_sent(case: FaultCase) -> int:
    """Return how many words of the known text the faulty primary sends at most."""
    name, _, argument = case.mark.partition(":")
    if name in _WITH_ALL:
        return len(_WORDS)
    return int(argument) if name in _SENDING else 0


def graded_text(text: str, case: FaultCase, others: Sequence[str] = ()) -> Graded:
    """Return what an answer is, whatever the fallback may say.

    Spliced is only what begins as the primary did, no further than the primary came, and goes on
    with something else. An answer that is like one of `others` for longer than like the primary's
    is the fallback's own.

    Args:
        text: the answer.
        case: the fault behind it.
        others: answers to faults whose primary sends no word, so that they are another's.
    """
    if tuple(text.split()) == _WORDS:
        return "whole"
    if TOLD.startswith(text):
        return "cut in silence"
    begun, sent = _shared(text, TOLD), words_sent(case)
    as_primary = sent > 0 and len(_WORDS[0]) <= begun < len(" ".join(_WORDS[: sent + 1]))
    if as_primary and not any(_shared(text, other) > begun for other in others):
        return "spliced"
    return "another's whole"


def _shared(one: str, other: str) -> int:
    """Return how many characters both begin with."""
    pairs = zip(one.casefold(), other.casefold(), strict=False)
    return next((n for n, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))


async def grade_gateway(
    target: Target, request: Request, *, cases: Sequence[FaultCase] = FAULTS
) -> tuple[GatewayRow, ...]:
    """Send each fault's mark through a gateway whose primary is the fake provider.

    The fallback may be any model that the faults do not hit.
    """
    loop = asyncio.get_running_loop()
    rows: list[GatewayRow] = []
    answers: dict[str, str] = {}
    for number, case in enumerate(case for case in cases if case.mark):
        asked = loop.time()
        sent = replace(marked(request, case.mark, number=number), scheduled=asked)
        graded: Graded = "whole"
        first = None
        try:
            answer = await target.generate(sent)
        except TargetError as error:
            kind = error.failure.kind
            graded = "hung" if kind.startswith("timeout") else "clean error"
            said = f"{kind}: {error.failure.message}"
        else:
            said = answers[case.mark] = answer.text.strip()
            first = answer.timing.first_token
        rows.append(
            GatewayRow(
                case=case,
                graded=graded,
                seconds=loop.time() - asked,
                first_token=first,
                text=said[:200],
            )
        )
    others = [answers[row.case.mark] for row in rows
              if row.case.mark in answers and not words_sent(row.case)]  # fmt: skip
    return tuple(
        replace(row, graded=graded_text(answers[row.case.mark], row.case, others))
        if row.case.mark in answers
        else row
        for row in rows
    )
