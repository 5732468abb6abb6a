"""From what a provider said to a `Failure`: statuses, error bodies, errors inside a 200.

Used by every HTTP dialect. The classes are those of `befit.core.failure`; what
the words of an error body mean is kept in tables here and nowhere else.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from email.utils import parsedate_to_datetime

import orjson

from befit.core.failure import Failure, FailureKind
from befit.core.record import Json
from befit.targets.wire.redact import redact

REQUEST_ID_HEADERS = ("x-request-id", "request-id", "apim-request-id")

_BY_STATUS: dict[int, FailureKind] = {
    401: "auth",
    402: "billing",
    403: "auth",
    404: "not_found",
    408: "server",
    409: "server",
    425: "server",
    429: "rate_limited",
    498: "overloaded",
    503: "overloaded",
    529: "overloaded",
}
_BY_CODE: dict[str, FailureKind] = {
    "insufficient_quota": "billing",
    "billing_error": "billing",
    "billing_not_active": "billing",
    "billing_hard_limit_reached": "billing",
    "invalid_api_key": "auth",
    "authentication_error": "auth",
    "permission_error": "auth",
    "model_not_found": "not_found",
    "not_found_error": "not_found",
    "notfounderror": "not_found",
    "rate_limit_exceeded": "rate_limited",
    "rate_limit_error": "rate_limited",
    "overloaded_error": "overloaded",
    "overloaded": "overloaded",
    "context_length_exceeded": "context_length",
    "exceed_context_size_error": "context_length",
    "string_above_max_length": "context_length",
    "content_filter": "content_filter",
    "content_policy_violation": "content_filter",
    "responsibleaipolicyviolation": "content_filter",
    "invalid_request_error": "bad_request",
    "badrequesterror": "bad_request",
    "request_too_large": "bad_request",
    "server_error": "server",
    "api_error": "server",
    "internal_server_error": "server",
    "internalservererror": "server",
    "timeout_error": "server",
}
# These say more than the status or the general type they come with.
_SPECIFIC: frozenset[FailureKind] = frozenset(
    {"billing", "context_length", "content_filter", "not_found", "overloaded"}
)
_TOO_LONG = re.compile(
    r"(maximum|model'?s|available) context|context (length|window|size)|prompt is too long"
    r"|input is too long|too many (input )?tokens|maximum (prompt|input) length",
    re.IGNORECASE,
)
_FILTERED = re.compile(r"content (management|filtering) policy|content filter", re.IGNORECASE)
_NO_CREDIT = re.compile(r"credit balance is too low|insufficient (credits|balance)", re.IGNORECASE)
_CALLER = frozenset({400, 413, 422})


def status_failure(
    status: int,
    body: bytes,
    headers: Mapping[str, str],
    *,
    secrets: Iterable[str] = (),
    wall: float,
) -> Failure:
    """Return the failure that an HTTP error response stands for.

    Args:
        status: the HTTP status (not 2xx).
        body: the response body, or its beginning.
        headers: the response headers (case-insensitive mapping or lower-case names).
        secrets: what must not appear in the message.
        wall: now in seconds since the epoch, to read HTTP dates.
    """
    try:
        said = orjson.loads(body)
    except orjson.JSONDecodeError:
        said = body.decode("utf-8", "replace")
    words = _words(said)
    kind = _kind(status, words)
    message = words.message or f"HTTP {status} without a message"
    if 300 <= status < 400:  # noqa: PLR2004 - the redirect class of HTTP
        message = "the endpoint redirects; set base_url to its final address"
    elif "stream_options" in message and kind == "bad_request":
        message += " (set options.stream_usage: false for this candidate)"
    return Failure(
        kind=kind,
        message=redact(message, secrets),
        status=status,
        retry_after=retry_after(headers, wall=wall),
        request_id=request_id(headers),
        should_retry={"true": True, "false": False}.get(headers.get("x-should-retry", "").lower()),
    )


def inband_failure(
    error: Json, *, secrets: Iterable[str] = (), request_id: str | None = None
) -> Failure:
    """Return the failure that an error inside a 200 stands for (a body, or an event of a stream).

    `error` is the error object itself, or the whole body that holds it.
    """
    words = _words(error)
    status = words.status if words.status and words.status >= 400 else None  # noqa: PLR2004 - HTTP
    return Failure(
        kind=_kind(status, words),
        message=redact(words.message or "the answer is an error without a message", secrets),
        status=status,
        request_id=request_id,
    )


def retry_after(headers: Mapping[str, str], *, wall: float) -> float | None:
    """Return the seconds a provider asks to wait: milliseconds, seconds or an HTTP date."""
    seconds = _number(headers.get("retry-after-ms"), scale=0.001)
    if seconds is not None:
        return seconds
    text = headers.get("retry-after")
    seconds = _number(text, scale=1.0)
    if seconds is not None or not text:
        return seconds
    try:
        return max(0.0, parsedate_to_datetime(text).timestamp() - wall)
    except (ValueError, OverflowError):
        return None


def request_id(headers: Mapping[str, str]) -> str | None:
    """Return the provider's id of this request, if it sent one."""
    found = (headers.get(name) for name in REQUEST_ID_HEADERS)
    return next((value[:200] for value in found if value), None)


def _number(text: str | None, *, scale: float) -> float | None:
    try:
        value = float(text or "") * scale
    except ValueError:
        return None
    return value if math.isfinite(value) and value >= 0 else None


class _Words:
    """What an error object says, whatever its shape."""

    __slots__ = ("codes", "flagged", "message", "status")

    def __init__(
        self, *, message: str, codes: list[str], status: int | None, flagged: bool
    ) -> None:
        self.message = message
        self.codes = codes
        self.status = status
        self.flagged = flagged


def _words(said: Json) -> _Words:
    if isinstance(said, list) and said:
        said = said[0]  # Gemini wraps its error in a list
    if not isinstance(said, dict):
        return _Words(message=str(said or ""), codes=[], status=None, flagged=False)
    error = said.get("error") or said
    if not isinstance(error, dict):
        error = {**said, "message": said.get("message") or error}
    inner = error.get("innererror")
    meta = error.get("metadata")
    named = [error.get("code"), error.get("type"), error.get("status")]
    named += [inner.get("code")] if isinstance(inner, dict) else []
    message = error.get("message") or error.get("detail") or error.get("error") or ""
    if not isinstance(message, str):
        message = orjson.dumps(message).decode()
    return _Words(
        message=message,
        codes=[value.lower() for value in named if isinstance(value, str)],
        status=next((v for v in named if isinstance(v, int) and not isinstance(v, bool)), None),
        flagged=isinstance(meta, dict) and "flagged_input" in meta,
    )


def _kind(status: int | None, words: _Words) -> FailureKind:
    coded = [_BY_CODE[code] for code in words.codes if code in _BY_CODE]
    for kind in coded:
        # A 429 that names the context or the like is still what its code says.
        if kind in _SPECIFIC:
            return kind
    if words.flagged:
        return "content_filter"
    if (status is None or status in _CALLER) and _TOO_LONG.search(words.message):
        return "context_length"
    if (status is None or status in _CALLER) and _FILTERED.search(words.message):
        return "content_filter"
    if (status is None or status < 500) and _NO_CREDIT.search(words.message):  # noqa: PLR2004 - HTTP
        return "billing"
    if status is None:
        return coded[0] if coded else "server"
    if status in _BY_STATUS:
        return _BY_STATUS[status]
    return "server" if status >= 500 else "bad_request"  # noqa: PLR2004 - the server class of HTTP
