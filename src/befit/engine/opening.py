"""Opening the targets of a run inside its event loop, and closing them at its end."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable
from contextlib import AsyncExitStack, asynccontextmanager

from befit.core.candidate import Candidate
from befit.core.protocols import Target
from befit.plugins import load


@asynccontextmanager
async def open_targets(candidates: Iterable[Candidate]) -> AsyncIterator[dict[str, Target]]:
    """Yield the target of each candidate by its name; all are closed on leaving.

    Raises:
        PluginError: no target of that name, or it does not load.
    """
    async with AsyncExitStack() as stack:
        opened: dict[str, Target] = {}
        for candidate in candidates:
            target: Target = load("befit.targets", candidate.target)(candidate)
            stack.push_async_callback(target.aclose)
            opened[candidate.name] = target
        yield opened
