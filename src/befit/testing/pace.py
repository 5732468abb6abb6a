"""When the bytes of a streamed answer leave: pacing, stalls, cuts. Without a pace, in one write."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass

from aiohttp import web

from befit.testing.exchange import Stream
from befit.testing.faults import Fault

_CUTS = frozenset({"cut", "cut_inside", "stall", "stall_after"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """Seconds before the first token, tokens per second after it, seconds of a stall."""

    first: float
    per_second: float | None
    stall: float

    async def before_first(self) -> None:
        """Wait as long as the first token takes."""
        if self.first:
            await asyncio.sleep(self.first)

    async def whole(self, tokens: int) -> None:
        """Wait as long as an answer of that many tokens takes."""
        await self.before_first()
        if self.per_second:
            await asyncio.sleep(tokens / self.per_second)


async def send_stream(
    response: web.StreamResponse, events: Stream, pace: Pace, fault: Fault | None
) -> bool:
    """Send the events; return True when the connection is to be reset now."""
    name = fault.name if fault else ""
    if name == "stall":
        await asyncio.sleep(pace.stall)
        return True
    closing = events.finish + events.usage + events.done
    tokens = events.tokens
    if fault is not None and name in _CUTS:
        kept = int(fault.number(2))
        tokens, rest = tokens[:kept], (tokens[kept:] + closing)[:1]
        closing = [event[: len(event) // 2] for event in rest] if name == "cut_inside" else []
    if name == "keepalive":
        tokens = [b": keep-alive\n\n" + token for token in tokens]
    gap = 1 / pace.per_second if pace.per_second else 0.0
    if fault is not None and name == "trickle":
        gap = fault.number(0.05)
    if name == "shredded":
        await _shredded(response, b"".join(events.head + tokens + closing))
    elif gap:
        await _paced(response, events.head, tokens, closing, gap=gap)
    else:
        await response.write(b"".join(events.head + tokens + closing))
    if name == "stall_after":
        await asyncio.sleep(pace.stall)
    if name in {"cut", "cut_inside"}:
        await asyncio.sleep(0.02)  # what was written has to leave before the reset
    return name in _CUTS


async def _shredded(response: web.StreamResponse, data: bytes) -> None:
    for start in range(0, len(data), 3):
        await response.write(data[start : start + 3])
        await asyncio.sleep(0)


async def _paced(
    response: web.StreamResponse,
    head: list[bytes],
    tokens: list[bytes],
    closing: list[bytes],
    *,
    gap: float,
) -> None:
    """Send tokens at their due moments; those that are due together leave together."""
    started = time.monotonic()
    await response.write(b"".join(head))
    waiting: list[bytes] = []
    for index, token in enumerate(tokens):
        waiting.append(token)
        ahead = started + index * gap - time.monotonic()
        if ahead > 0.001:  # noqa: PLR2004 (a sleep below a millisecond costs more than it waits)
            await asyncio.sleep(ahead)
        elif index % 8:
            continue
        await response.write(b"".join(waiting))
        waiting.clear()
    await response.write(b"".join(waiting + closing))
