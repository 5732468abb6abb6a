"""Recorded answers as a target: real runs without a network.

The file (`options.path`) holds one JSON object per line:

    {"scenario": "invoices", "sample_id": "i-17", "repeat": 0, "variant": "", "turn": 0,
     "messages": "<hash>", "text": "...", "reasoning": null, "tool_calls": [],
     "finish_reason": "stop", "usage": {"uncached_input": 812, "text_output": 40},
     "timing": {"sent": 0.0, "first_token": 0.3, "end": 1.2},
     "served_model": "m-2026-09", "system_fingerprint": null, "request_id": null,
     "failure": null}

Only `text` (or `failure`: kind, message and so on) is always needed. A record is
found by `sample_id`, `repeat`, `variant` and `turn` (left out: 0 and "") and by
`scenario` where it has one; else by `messages`, the hash of what was asked
(`messages_hash`), and `repeat`. Repeats are never stood in for one another:
that would make any model look stable.

Latency and usage are the recorded ones, and every answer is marked by the
header `befit-replay`: `recorded`, or `untimed` where the file has no timing (its
zero times are then no measurement). The file is indexed once, 16 bytes a line;
texts stay on disk. `ReplayWriter` (in `recording`) writes the same format.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO

from befit.core.candidate import Candidate
from befit.core.completion import Completion, Request
from befit.core.failure import Failure
from befit.core.record import Record
from befit.errors import ConfigError, DataError, TargetError
from befit.targets.recording import (
    Identity,
    RecordIndex,
    messages_hash,
    read_record,
    recorded_completion,
    recorded_failure,
)
from befit.targets.wire.options import options_of

MARK = "befit-replay"
"""The header that marks a replayed answer."""


class ReplayOptions(Record):
    """`options` of a `replay` candidate; a relative path starts at the working directory."""

    path: Path


class ReplayTarget:
    """Answers from a recorded file.

    Raises:
        ConfigError: `options.path` is missing or no file.
    """

    Options = ReplayOptions
    """What `options` may hold; project files are checked against it."""

    def __init__(self, candidate: Candidate) -> None:
        self._path = options_of(candidate, ReplayOptions).path
        if not self._path.is_file():
            raise ConfigError(
                f"no recorded answers at '{self._path}'",
                where=f"candidate '{candidate.name}' options.path",
                do="check the path, or record a run",
            )
        self._index: RecordIndex | None = None
        self._file: BinaryIO | None = None
        self._opening = asyncio.Lock()

    async def generate(self, request: Request, /) -> Completion:
        """Return the recorded answer.

        Raises:
            TargetError: the recorded failure; `not_found` naming the sample where nothing is
                recorded; `bad_request` where the file has a line that is no record.
        """
        wanted = _wanted(request)
        answer: Completion | Failure
        try:
            answer = await self._answer(wanted)
        except (DataError, OSError) as error:
            answer = Failure(kind="bad_request", message=" ".join(str(error).split())[:500])
        if isinstance(answer, Failure):
            raise TargetError(answer, where=str(self._path))
        return answer

    async def _answer(self, wanted: list[Identity]) -> Completion | Failure:
        index = await self._opened()
        line = index.find(wanted, self._file)
        if line is None:
            return Failure(kind="not_found", message=f"no recorded answer for {wanted[0]}")
        record = read_record(line, where=f"{self._path} {wanted[0]}")
        if record.get("failure") is not None:
            return recorded_failure(record, where=f"{self._path} {wanted[0]}")
        completion = recorded_completion(record, where=f"{self._path} {wanted[0]}")
        mark = "recorded" if record.get("timing") else "untimed"
        return replace(completion, headers={**completion.headers, MARK: mark})

    async def aclose(self) -> None:
        """Close the file."""
        if self._file is not None:
            self._file.close()
            self._file = None
            self._index = None

    async def _opened(self) -> RecordIndex:
        async with self._opening:
            if self._index is None:
                # A big file takes seconds to index: not on the event loop.
                self._index = await asyncio.to_thread(RecordIndex.of, self._path)
                self._file = self._path.open("rb")
            return self._index


def _wanted(request: Request) -> list[Identity]:
    """The identities to look for, the most exact one first."""
    meta = request.metadata
    repeat = int(meta.get("repeat") or 0)
    asked = Identity(messages=messages_hash(request.messages), repeat=repeat)
    # The engine's words, and those of the file.
    sample_id = meta.get("sample") or meta.get("sample_id")
    if not sample_id:
        return [asked]
    named = Identity(
        scenario=meta.get("scenario", ""),
        sample_id=sample_id,
        repeat=repeat,
        variant=meta.get("variant", ""),
        turn=int(meta.get("step") or meta.get("turn") or 0),
    )
    return [named, named._replace(scenario=""), asked]
