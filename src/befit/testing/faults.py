"""The named faults of the fake provider, and the seeded plan that says which request gets which.

A fault is chosen in this order: a marker in the prompt (`[[fault:429]]`,
`[[fault:cut:3]]` with an argument, `[[fault:500*2]]` for the first two requests
with this prompt only), a permanent fault for a prompt, a draw by rate. The draw
depends on the seed, the prompt and how often the prompt came, never on the
order in which concurrent requests arrive.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass

from befit.testing.exchange import MARKER


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpFault:
    """An error response: status, the word of either API for it, and its text."""

    status: int
    openai: str
    anthropic: str
    message: str
    retry_after: bool = False
    param: str | None = None


HTTP_FAULTS: dict[str, HttpFault] = {
    "429": HttpFault(
        status=429,
        openai="rate_limit_exceeded",
        anthropic="rate_limit_error",
        message="Rate limit reached. Please slow down.",
        retry_after=True,
    ),
    "429_bare": HttpFault(
        status=429,
        openai="rate_limit_exceeded",
        anthropic="rate_limit_error",
        message="Rate limit reached.",
    ),
    "quota": HttpFault(
        status=429,
        openai="insufficient_quota",
        anthropic="rate_limit_error",
        message="You exceeded your current quota, please check your plan and billing details.",
    ),
    "402": HttpFault(
        status=402,
        openai="billing_hard_limit_reached",
        anthropic="billing_error",
        message="Payment required: your credit balance is too low.",
    ),
    "500": HttpFault(
        status=500, openai="server_error", anthropic="api_error", message="Internal server error"
    ),
    "503": HttpFault(
        status=503,
        openai="server_error",
        anthropic="api_error",
        message="The server is temporarily unavailable.",
    ),
    "529": HttpFault(
        status=529, openai="overloaded", anthropic="overloaded_error", message="Overloaded"
    ),
    "401": HttpFault(
        status=401,
        openai="invalid_api_key",
        anthropic="authentication_error",
        message="Incorrect API key provided.",
    ),
    "403": HttpFault(
        status=403,
        openai="permission_denied",
        anthropic="permission_error",
        message="Your key may not use this resource.",
    ),
    "404": HttpFault(
        status=404,
        openai="model_not_found",
        anthropic="not_found_error",
        message="The model does not exist or you do not have access to it.",
    ),
    "400": HttpFault(
        status=400,
        openai="unsupported_parameter",
        anthropic="invalid_request_error",
        message="Unsupported parameter.",
        param="temperature",
    ),
    "context_length": HttpFault(
        status=400,
        openai="context_length_exceeded",
        anthropic="invalid_request_error",
        message="prompt is too long: this model's maximum context length is exceeded",
        param="messages",
    ),
    "content_filter_400": HttpFault(
        status=400,
        openai="content_filter",
        anthropic="invalid_request_error",
        message="The response was filtered by the content management policy.",
    ),
}

STREAM_FAULTS: dict[str, str] = {
    "reset": "the connection is reset before any byte of an answer",
    "stall": "headers, then nothing",
    "stall_after": "nothing more after k tokens (argument, 2)",
    "cut": "the connection is reset after k tokens (argument, 2)",
    "cut_inside": "the connection is reset in the middle of an event after k tokens (2)",
    "ends_early": "the stream ends politely after k tokens (2), without a finish reason",
    "malformed": "an event that is no JSON after k tokens (1)",
    "error_in_200": "an error event or body inside a 200, after k tokens (0)",
    "role_then_error": "the first, empty chunk and then an error event",
    "trickle": "one token each s seconds (argument, 0.05)",
    "empty": "an answer without any text",
    "no_usage": "no token counts",
    "no_done": "the closing event is missing",
    "length": "finish reason length after k tokens (2)",
    "content_filter": "finish reason content_filter (refusal) after k tokens (0)",
    "not_json": "200 with an HTML page",
    "shredded": "the same bytes, three at a time",
    "keepalive": "comment lines between the events",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """One chosen fault with its argument (tokens or seconds)."""

    name: str
    argument: float | None = None

    def number(self, default: float) -> float:
        """Return the argument, or `default` where none was given."""
        return default if self.argument is None else self.argument


_FORM = re.compile(r"(?P<name>[a-z0-9_]+)(?::(?P<argument>[0-9.]+))?(?:\*(?P<times>\d+))?")


def parse_fault(text: str) -> tuple[Fault, int | None]:
    """Read `name`, `name:argument` or `name:argument*times`; return the fault and `times`.

    Raises:
        ValueError: the form is wrong or the fault is unknown.
    """
    match = _FORM.fullmatch(text.strip())
    if match is None or (match["name"] not in HTTP_FAULTS and match["name"] not in STREAM_FAULTS):
        known = ", ".join([*HTTP_FAULTS, *STREAM_FAULTS])
        raise ValueError(f"unknown fault '{text}'; known: {known}")
    argument = float(match["argument"]) if match["argument"] else None
    times = int(match["times"]) if match["times"] else None
    return Fault(name=match["name"], argument=argument), times


def uniform(*parts: object) -> float:
    """Return a number in [0, 1) that depends on `parts` only."""
    text = "\x1f".join(str(part) for part in parts).encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.blake2b(text, digest_size=7).digest()) / 2**56


def choose(
    prompt: str,
    count: int,
    *,
    seed: int,
    rates: dict[str, float],
    permanent: dict[str, str],
) -> Fault | None:
    """Return the fault of the request that shows `prompt` for the `count`-th time (from 0).

    Raises:
        ValueError: a marker or a table names an unknown fault.
    """
    used = 0
    for kind, value in MARKER.findall(prompt):
        if kind != "fault":
            continue
        fault, times = parse_fault(value)
        if times is None or count < used + times:
            return fault
        used += times
    for part, name in permanent.items():
        if part in prompt:
            return parse_fault(name)[0]
    if rates:
        draw, edge = uniform(seed, "fault", prompt, count), 0.0
        for name, rate in rates.items():
            edge += rate
            if draw < edge:
                return parse_fault(name)[0]
    return None
