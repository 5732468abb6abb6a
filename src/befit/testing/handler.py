"""The fake provider's HTTP side: one request in, one answer or one fault out.

`provider` runs this application in a thread; `__main__` runs it as a process.
The wire modules know the formats, `faults` says what goes wrong, this file
makes it go wrong.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import time
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType

import orjson
from aiohttp import web

from befit.core.record import Json
from befit.testing import anthropic_wire, openai_wire
from befit.testing.exchange import (
    Answer,
    AnswerFunction,
    Ask,
    Stream,
    count_tokens,
    finished,
    scripted,
)
from befit.testing.faults import HTTP_FAULTS, Fault, HttpFault, choose
from befit.testing.pace import Pace, send_stream
from befit.testing.script import Script

_SECRET_HEADERS = frozenset({"authorization", "x-api-key", "api-key", "cookie"})
_USAGE = re.compile(rb',"usage":\{(?:[^{}]|\{[^{}]*\})*\}')


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """One request as it arrived. Key values are hidden; `fault` is None when it was answered."""

    number: int
    at: float
    """Seconds since the epoch."""
    path: str
    body: dict[str, Json]
    headers: dict[str, str]
    prompt: str
    user: str | None
    served_model: str
    fault: str | None


class Handler:
    """Answers requests by a script; keeps every one of them in `requests`."""

    def __init__(
        self, script: Script, *, answer: AnswerFunction | None = None, log: Path | None = None
    ) -> None:
        self.script = script
        self.requests: list[Recorded] = []
        self.active = 0
        self.most_active = 0
        self._answer = answer
        self._seen: Counter[str] = Counter()
        self._started = time.monotonic()
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT
        self._log = os.open(log, flags, 0o600) if log else None

    def application(self) -> web.Application:
        """Return the aiohttp application with the routes of both APIs."""
        app = web.Application(client_max_size=64 * 2**20)
        for prefix in ("", "/v1"):
            app.router.add_post(f"{prefix}/chat/completions", self._openai)
            app.router.add_post(f"{prefix}/messages", self._anthropic)
            app.router.add_get(f"{prefix}/models", self._models)
        return app

    def close(self) -> None:
        """Close the request log."""
        if self._log is not None:
            os.close(self._log)
            self._log = None

    async def _models(self, request: web.Request) -> web.Response:
        wire = anthropic_wire if "anthropic-version" in request.headers else openai_wire
        if not self._key_is_right(request):
            return self._error(wire, HTTP_FAULTS["401"], number=0)
        return web.json_response(wire.models(self.script.models or ("fake-model",)))

    async def _openai(self, request: web.Request) -> web.StreamResponse:
        return await self._handle(request, openai_wire)

    async def _anthropic(self, request: web.Request) -> web.StreamResponse:
        return await self._handle(request, anthropic_wire)

    async def _handle(self, request: web.Request, wire: ModuleType) -> web.StreamResponse:
        raw = await request.read()
        try:
            ask: Ask = wire.parse(orjson.loads(raw))
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            return self._error(wire, HTTP_FAULTS["400"], number=0, message=str(error))
        ask = replace(ask, count=self._seen[ask.prompt])
        self._seen[ask.prompt] += 1
        number = len(self.requests)
        served = self._served(ask.model, number)
        fault, message = self._fault(request, ask)
        self._record(request, ask, served=served, fault=fault)
        self.active += 1
        self.most_active = max(self.most_active, self.active)
        try:
            if fault is not None and fault.name in HTTP_FAULTS:
                http = HTTP_FAULTS[fault.name]
                wait = fault.number(self.script.retry_after)
                return self._error(wire, http, number=number, message=message, wait=wait)
            if fault is not None and fault.name == "reset":
                self._abort(request)
                return web.Response()
            return await self._reply(request, wire, replace(ask, model=served), number, fault)
        finally:
            self.active -= 1

    def _served(self, model: str, number: int) -> str:
        change = self.script.model_change
        if change is not None and change.happened(number, time.monotonic() - self._started):
            return change.to
        return self.script.served.get(model, model)

    def _key_is_right(self, request: web.Request) -> bool:
        bearer = request.headers.get("Authorization", "").removeprefix("Bearer ")
        given = request.headers.get("x-api-key") or bearer
        return not self.script.api_keys or given in self.script.api_keys

    def _fault(self, request: web.Request, ask: Ask) -> tuple[Fault | None, str | None]:
        script = self.script
        if not self._key_is_right(request):
            return Fault(name="401"), None
        if script.max_concurrent is not None and self.active >= script.max_concurrent:
            return Fault(name="429"), "Too many requests at a time."
        if script.models and ask.model not in script.models:
            return Fault(name="404"), f"The model '{ask.model}' does not exist."
        refused = next((key for key in script.unsupported if ask.body.get(key)), None)
        if refused is not None:
            return Fault(name="400"), f"Unsupported parameter: '{refused}'."
        if script.foreign_signatures == "refused" and _signed(ask.body):
            return Fault(name="400"), "messages: Invalid `signature` in `thinking` block"
        if script.context_window is not None and count_tokens(ask) > script.context_window:
            return Fault(name="context_length"), None
        if ask.model in script.healthy_models:
            return None, None
        chosen = choose(
            ask.prompt,
            ask.count,
            seed=script.seed,
            rates=script.rates,
            permanent=script.permanent,
        )
        return chosen, None

    def _record(self, request: web.Request, ask: Ask, *, served: str, fault: Fault | None) -> None:
        headers = {
            name: "[hidden]" if name.lower() in _SECRET_HEADERS else value
            for name, value in request.headers.items()
        }
        entry = Recorded(
            number=len(self.requests),
            at=time.time(),
            path=request.path,
            body=ask.body,
            headers=headers,
            prompt=ask.prompt,
            user=ask.user,
            served_model=served,
            fault=fault.name if fault else None,
        )
        self.requests.append(entry)
        if self._log is not None:
            line = {
                "number": entry.number,
                "at": entry.at,
                "path": entry.path,
                "model": ask.model,
                "user": ask.user,
                "fault": entry.fault,
                "prompt": ask.prompt[:200],
            }
            os.write(self._log, orjson.dumps(line) + b"\n")

    def _error(
        self,
        wire: ModuleType,
        fault: HttpFault,
        *,
        number: int,
        message: str | None = None,
        wait: float = 0.0,
    ) -> web.Response:
        headers = {"x-request-id": f"req_{number}", "request-id": f"req_{number}"}
        if fault.retry_after:
            headers["Retry-After"] = f"{wait:g}"
        return web.Response(
            body=orjson.dumps(wire.error(fault, message)),
            status=fault.status,
            content_type="application/json",
            headers=headers,
        )

    @staticmethod
    def _abort(request: web.Request) -> None:
        if request.transport is not None:
            request.transport.abort()

    def _compose(self, ask: Ask, fault: Fault | None) -> Answer:
        if self._answer is not None:
            given = self._answer(ask)
        else:
            given = scripted(ask, answers=self.script.answers, otherwise=self.script.answer)
        answer = finished(given, ask)
        if self.script.most_calls is not None:
            answer = replace(answer, calls=answer.calls[: self.script.most_calls])
        if fault is None or fault.name not in {"empty", "length", "content_filter"}:
            return answer
        kept = int(fault.number({"length": 2}.get(fault.name, 0)))
        pieces = answer.tokens[:kept]
        finish = {"empty": "stop"}.get(fault.name, fault.name)
        return Answer(text="".join(pieces), tokens=pieces, finish=finish)

    async def _reply(
        self, request: web.Request, wire: ModuleType, ask: Ask, number: int, fault: Fault | None
    ) -> web.StreamResponse:
        script = self.script
        answer = self._compose(ask, fault)
        pace = Pace(
            first=script.first_token.draw(script.seed, ask.prompt, ask.count),
            per_second=script.tokens_per_second,
            stall=script.stall_seconds,
        )
        headers = {"x-request-id": f"req_{number}", "request-id": f"req_{number}"}
        given = {"number": number, "model": ask.model, "input_tokens": count_tokens(ask)}
        if ask.stream and (fault is None or fault.name != "not_json"):
            events: Stream = wire.stream(answer, ask=ask, **given)
            events = _bent(events, wire, fault)
            headers |= {"Content-Type": "text/event-stream", "Cache-Control": "no-cache"}
            response = web.StreamResponse(headers=headers)
            if fault is None or fault.name != "stall":
                await pace.before_first()
            await response.prepare(request)
            with contextlib.suppress(ConnectionError):
                if await send_stream(response, events, pace, fault):
                    self._abort(request)
            return response
        body = orjson.dumps(wire.whole(answer, **given))
        await pace.whole(len(answer.tokens))
        return await self._send_whole(request, wire, body, headers, fault)

    async def _send_whole(
        self,
        request: web.Request,
        wire: ModuleType,
        body: bytes,
        headers: dict[str, str],
        fault: Fault | None,
    ) -> web.StreamResponse:
        name = fault.name if fault else ""
        kind = "application/json"
        if name == "not_json":
            body, kind = b"<!doctype html><title>Welcome</title><p>Please log in.", "text/html"
        elif name in {"error_in_200", "role_then_error"}:
            body = orjson.dumps(wire.error(HTTP_FAULTS["500"]))
        elif name == "malformed":
            body = body[: len(body) // 2]
        elif name == "no_usage":
            body = _USAGE.sub(b"", body)
        if name not in {"cut", "cut_inside", "ends_early", "stall", "stall_after"}:
            return web.Response(body=body, content_type=kind, headers=headers)
        response = web.StreamResponse(headers={**headers, "Content-Type": kind})
        response.content_length = len(body)
        await response.prepare(request)
        with contextlib.suppress(ConnectionError):
            if name != "stall":
                await response.write(body[: len(body) // 2])
            if name.startswith("stall"):
                await asyncio.sleep(self.script.stall_seconds)
        self._abort(request)
        return response


def _signed(body: dict[str, Json]) -> bool:
    """Whether the history holds a signed block; none of ours has a signature."""
    return b'"signature":' in orjson.dumps(body.get("messages"))


def _bent(events: Stream, wire: ModuleType, fault: Fault | None) -> Stream:
    """Return `events` with the faults that only change what is sent, not when."""
    if fault is None:
        return events
    if fault.name == "no_usage":
        return replace(
            events,
            head=[_USAGE.sub(b"", event) for event in events.head],
            finish=[_USAGE.sub(b"", event) for event in events.finish],
            usage=[],
        )
    if fault.name == "no_done":
        return replace(events, done=[])
    shown = {"malformed": 1, "error_in_200": 0, "role_then_error": 0, "ends_early": 2}
    if fault.name not in shown:
        return events
    broken = {
        "malformed": [b'data: {"choices": [{"delta": {"cont\n\n'],
        "ends_early": [],
    }.get(fault.name, [wire.error_event(HTTP_FAULTS["500"])])
    return replace(
        events,
        head=[] if fault.name == "error_in_200" and fault.argument is None else events.head,
        tokens=events.tokens[: int(fault.number(shown[fault.name]))] + broken,
        finish=[],
        usage=[],
        done=[],
    )
