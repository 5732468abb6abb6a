"""A Python function as a target: the user's own pipeline, agent or stub.

`candidate.model` is `module:attribute`. The function takes the whole `Request`,
or, if its only required parameter is named `prompt` or `text` or annotated
`str`, the text of the last user message. It may be async; a plain one runs in a
thread. It returns a `str`, a `Completion`, or a dict with `text` and optionally
`reasoning`, `finish_reason`, `served_model`, `tool_calls` (dicts of id, name and
arguments, as JSON text or as a mapping) and `usage` (the disjoint classes of
`befit.core.price.Usage`).
"""

from __future__ import annotations

import asyncio
import inspect
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, replace

import orjson
from pydantic import ValidationError

from befit.core.candidate import Candidate
from befit.core.completion import Completion, Request, Timing
from befit.core.failure import Failure
from befit.core.message import ToolCall
from befit.core.price import Usage
from befit.core.record import Json
from befit.errors import TargetError
from befit.plugins import OwnCode, load_object
from befit.targets.threads import DaemonThreads
from befit.targets.wire.redact import redact

_MOST_TOKENS = 10**12
"""A count of tokens from here on is a mistake."""
_THREADS = 32
"""Threads for plain functions where the candidate's limits name no concurrency."""

_CLASSES = frozenset(Usage.__dataclass_fields__)
_KEYS = {"text", "reasoning", "finish_reason", "served_model", "tool_calls", "usage"}


class FunctionTarget:
    """Calls the user's function, one thread or coroutine for each request.

    A thread cannot be stopped: after `timeout_total` its answer is dropped, but
    it keeps its place until it returns, and does not keep the process alive.

    Raises:
        PluginError: `candidate.model` names nothing that can be loaded.
    """

    def __init__(self, candidate: Candidate) -> None:
        self._name = candidate.model
        self._call: Callable[..., Json] = load_object(
            candidate.model, where=f"candidate '{candidate.name}'"
        )
        self._takes_text = _takes_text(self._call)
        self._is_async = inspect.iscoroutinefunction(self._call) or inspect.iscoroutinefunction(
            getattr(self._call, "__call__", None)  # noqa: B004 - its kind is asked, not whether it is
        )
        self._threads = candidate.limits.concurrency or _THREADS
        self._pool: DaemonThreads | None = None

    async def generate(self, request: Request, /) -> Completion:
        """Make one call.

        Raises:
            TargetError: `target_error` with the exception's type and message, `timeout_total`,
                or what the function itself raised as a TargetError.
        """
        sent = time.monotonic()
        origin = sent if request.scheduled is None else request.scheduled
        given = _last_user_text(request) if self._takes_text else request
        failure: Failure | None = None
        try:
            async with asyncio.timeout(request.timeouts.total) as limit:
                with OwnCode():
                    returned = await self._run(given)
        except TargetError:
            raise
        except Exception as error:  # noqa: BLE001 - whatever the user's code raises is data
            if isinstance(error, TimeoutError) and limit.expired():
                failure = Failure(
                    kind="timeout_total", message=f"no answer within {request.timeouts.total:g} s"
                )
            else:
                failure = _target_error(f"{type(error).__name__}: {error}")
        if failure is None:
            end = time.monotonic() - origin
            timing = Timing(sent=max(0.0, sent - origin), end=max(0.0, end))
            completed = _completion(returned, timing)
            if isinstance(completed, Completion):
                return completed
            failure = completed
        raise TargetError(failure, where=self._name)

    async def aclose(self) -> None:
        """Let go of the threads; running ones are not waited for."""
        if self._pool is not None:
            self._pool.close()
            self._pool = None

    async def _run(self, given: Request | str) -> Json:
        if self._is_async:
            return await self._call(given)
        if self._pool is None:
            self._pool = DaemonThreads(self._threads, name="befit-function")
        returned = await asyncio.wrap_future(self._pool.submit(self._call, given))
        return await returned if inspect.isawaitable(returned) else returned


def _as_text(call: object) -> object:
    """Return a tool call with its arguments as JSON text, as the protocols write them."""
    given = call.get("arguments") if isinstance(call, Mapping) else None
    if not isinstance(call, Mapping) or not isinstance(given, Mapping):
        return call
    return {**call, "arguments": orjson.dumps(dict(given)).decode()}


def _target_error(message: str) -> Failure:
    return Failure(kind="target_error", message=redact(message, ()))


def _takes_text(call: Callable[..., Json]) -> bool:
    """Whether the one parameter without a default wants text rather than a Request."""
    try:
        parameters = list(inspect.signature(call).parameters.values())
    except (TypeError, ValueError):
        return False
    required = [p for p in parameters if p.default is p.empty and p.kind not in _VARIADIC]
    wanted = required or parameters[:1]
    if len(wanted) != 1:
        return False
    return wanted[0].name in {"prompt", "text"} or wanted[0].annotation in (str, "str")


def _counts(usage: Mapping[str, Json]) -> Mapping[str, Json]:
    """Return `usage` if it counts tokens; ValueError names the key that does not."""
    if not isinstance(usage, Mapping):
        raise TypeError(f"usage is {type(usage).__name__}, not a dict")
    unknown = set(usage) - _CLASSES
    if unknown:
        known = ", ".join(sorted(_CLASSES))
        raise ValueError(f"usage has unknown keys {sorted(map(str, unknown))}; known: {known}")
    for name, count in usage.items():
        if name == "estimated":
            continue
        if isinstance(count, bool) or not isinstance(count, int) or not 0 <= count < _MOST_TOKENS:
            # repr of a huge int may itself be refused by Python.
            shown = "a huge number" if isinstance(count, int) and count > 0 else repr(count)[:50]
            raise ValueError(f"usage.{name} is {shown}, not a count of tokens (0 or more)")
    return usage


_VARIADIC = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


def _last_user_text(request: Request) -> str:
    said = [message.text for message in request.messages if message.role == "user"]
    return said[-1] if said else ""


def _completion(returned: Json, timing: Timing) -> Completion | Failure:
    if isinstance(returned, Completion):
        try:
            if returned.usage is not None:
                _counts(asdict(returned.usage))
        except (TypeError, ValueError) as error:
            return _target_error(f"the function's Completion does not fit: {error}")
        return replace(returned, timing=timing) if returned.timing == Timing() else returned
    if isinstance(returned, str):
        return Completion(text=returned, finish_reason="stop", timing=timing)
    if not isinstance(returned, Mapping) or not isinstance(returned.get("text"), str):
        return _target_error(
            f"the function returned {type(returned).__name__}; "
            "it must return str, Completion, or a dict with 'text'"
        )
    unknown = set(returned) - _KEYS
    if unknown:
        return _target_error(
            f"the function returned unknown keys {sorted(map(str, unknown))}; "
            f"known: {', '.join(sorted(_KEYS))}"
        )
    try:
        usage = returned.get("usage")
        return Completion(
            text=returned["text"],
            reasoning=returned.get("reasoning"),
            finish_reason=returned.get("finish_reason", "stop"),
            served_model=returned.get("served_model"),
            tool_calls=tuple(
                ToolCall.model_validate(_as_text(call)) for call in returned.get("tool_calls") or ()
            ),
            usage=None if usage is None else Usage(**_counts(usage)),
            timing=timing,
        )
    except ValidationError as error:
        wrong = "; ".join(
            f"{'.'.join(map(str, one['loc']))}: {one['msg']}"
            for one in error.errors(include_url=False, include_input=False)
        )
        return _target_error(f"a tool call of the function's dict does not fit: {wrong}")
    except (TypeError, ValueError) as error:
        return _target_error(f"the function's dict does not fit: {error}")
