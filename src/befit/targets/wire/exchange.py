"""One HTTP exchange with a provider: send, read as it comes, stop in time, classify what failed.

The only place that touches sockets. A dialect's reader (`ChatReader`,
`MessagesReader`) makes sense of the bytes; retries belong to the engine. Keys
never leave: no failure carries an exception of the HTTP library, because those
hold the headers that were sent.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import lru_cache
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import aiohttp

from befit.core.completion import Completion, Request
from befit.core.failure import Failure
from befit.core.route import PROVIDER_HEADERS, REGION_HEADERS, SESSION_HEADERS
from befit.errors import TargetError
from befit.targets.wire.draft import Marks
from befit.targets.wire.faults import REQUEST_ID_HEADERS, status_failure
from befit.targets.wire.guard import Guard, Watch
from befit.targets.wire.reader import AnswerReader
from befit.targets.wire.redact import redact

MAX_ERROR_BYTES = 64 * 1024
"""So much of an error body is read."""
MAX_BODY_BYTES = 256 * 1024 * 1024
"""Of an answer that comes whole."""
MAX_CHARS = 32 * 1024 * 1024
"""Of an answer that comes in pieces, its thoughts and its calls of tools included: several times
what any model can say, and little enough to hold for all calls in flight."""
_LOOK = 8 * 1024 * 1024
"""Bytes of a stream between two looks at how long its answer has become."""

_KEPT_PREFIXES = ("x-ratelimit-", "anthropic-ratelimit-", "ratelimit-")
_KEPT = frozenset({*PROVIDER_HEADERS[1:], *REGION_HEADERS, *SESSION_HEADERS})
_CLOSES_UNTOLD = frozenset({"llama.cpp"})
"""Servers (by their header) that close a connection after a streamed answer without saying so:
the next request over it would fail before it arrives."""


class Exchange:
    """The connection to one endpoint; its session is made on first use, inside the running loop.

    Args:
        url: where to post.
        headers: sent with every request.
        secrets: values that must never appear in what is kept.
        clock: monotonic seconds; must be the event loop's clock.
        wall: seconds since the epoch, only to read HTTP dates.
    """

    def __init__(
        self,
        *,
        url: str,
        headers: Mapping[str, str],
        secrets: tuple[str, ...],
        clock: Callable[[], float] = time.monotonic,
        wall: Callable[[], float] = time.time,
    ) -> None:
        self._url = url
        self._headers = dict(headers)
        self._secrets = secrets
        self._clock = clock
        self._wall = wall
        self._session: aiohttp.ClientSession | None = None
        self._retired: aiohttp.ClientSession | None = None
        """The session from before it was known that this server closes connections untold."""
        self._watch = Watch()

    async def aclose(self) -> None:
        """Close the connections. The exchange can be used again afterwards."""
        for session in (self._session, self._retired):
            if session is not None:
                await session.close()
                self._watch.close()
        self._session = self._retired = None

    async def run(self, request: Request, *, body: bytes, reader: AnswerReader) -> Completion:
        """Send `body` and return the answer that `reader` read.

        Raises:
            TargetError: with the failure; `partial` holds what had arrived, if anything had.
        """
        sent = self._clock()
        marks = Marks(
            origin=sent if request.scheduled is None else request.scheduled,
            sent=sent,
            streamed=request.stream,
        )
        guard = Guard(
            self._watch,
            timeouts=request.timeouts,
            sent=sent,
            draft=reader.draft,
            streamed=request.stream,
        )
        try:
            with guard:
                failure = await self._talk(body, request, reader=reader, marks=marks)
        except (aiohttp.ClientError, OSError, ValueError) as error:
            failure = self._broken(error, guard, reader, request=request, marks=marks)
        marks.end = self._clock()
        kept, request_id = self._noted(marks.headers)
        answer = reader.draft.completion(marks, headers=kept, request_id=request_id)
        if failure is None and answer.finish_reason == "content_filter":
            failure = Failure(kind="content_filter", message="the provider's filter cut the answer")
        if failure is None:
            return answer
        if failure.request_id is None and answer.request_id is not None:
            failure = replace(failure, request_id=answer.request_id)
        arrived = answer.text or answer.reasoning or answer.tool_calls or answer.usage
        raise TargetError(failure, where=self._where(), partial=answer if arrived else None)

    def _broken(
        self,
        error: Exception,
        guard: Guard,
        reader: AnswerReader,
        *,
        request: Request,
        marks: Marks,
    ) -> Failure | None:
        """Return the failure that an error means; None where the answer is whole all the same."""
        draft = reader.draft
        if isinstance(error, aiohttp.ServerTimeoutError):
            seconds = request.timeouts.connect
            return Failure(kind="connect", message=f"no connection within {seconds:g} s")
        if isinstance(error, TimeoutError):
            if draft.finished and draft.failure is None:
                reader.finish(self._clock())  # whole; the provider only forgot to hang up
                return draft.failure
            return guard.failure()
        if isinstance(error, aiohttp.InvalidURL | aiohttp.NonHttpUrlClientError | ValueError):
            return self._told("bad_request", error)
        if marks.first_byte is None:
            return self._told("connect", error)
        if request.stream and draft.finished and draft.failure is None:
            reader.finish(self._clock())
            return draft.failure
        return self._told("stream_interrupted", error)

    async def _talk(
        self,
        body: bytes,
        request: Request,
        *,
        reader: AnswerReader,
        marks: Marks,
    ) -> Failure | None:
        clock, draft = self._clock, reader.draft
        session = self._session or self._open()
        response = await session.post(
            self._url,
            # As aiohttp would wrap it, without its looking for how.
            data=aiohttp.BytesPayload(body, content_type="application/json"),
            allow_redirects=False,
            timeout=_connect_within(request.timeouts.connect),
        )
        try:
            marks.first_byte = clock()
            marks.headers = headers = response.headers
            if self._retired is None and headers.get("Server") in _CLOSES_UNTOLD:
                self._retired, self._session = self._session, None
            if response.status >= 300 or response.status < 200:  # noqa: PLR2004 - HTTP's success class
                said = await response.content.read(MAX_ERROR_BYTES)
                return status_failure(
                    response.status, said, headers, secrets=self._secrets, wall=self._wall()
                )
            if not request.stream or response.content_type == "application/json":
                # Some providers answer a request for a stream with a whole body, errors above all.
                marks.streamed = False
                content = response.content
                # Short answers mostly come with their headers: then nothing is waited for.
                whole = content.read_nowait() if content.is_eof() else await _whole(content)
                if len(whole) > MAX_BODY_BYTES:
                    return _endless("256 MiB")
                reader.whole(whole, clock())
                return draft.failure
            feed, got, look_at = reader.feed, 0, _LOOK
            async for chunk in response.content.iter_any():
                feed(chunk, clock())
                if draft.failure is not None:
                    return draft.failure
                got += len(chunk)
                if got >= look_at:
                    look_at = got + _LOOK
                    if draft.chars > MAX_CHARS:
                        return _endless("32 Mi characters")
            reader.finish(clock())
            return draft.failure
        finally:
            # An answer that was read to its end has given its connection back.
            if not response.closed:
                response.release()

    def _open(self) -> aiohttp.ClientSession:
        self._session = aiohttp.ClientSession(
            # The engine bounds what is in flight; a second bound here would hide waiting.
            connector=aiohttp.TCPConnector(limit=0, keepalive_timeout=30)
            if self._retired is None
            else aiohttp.TCPConnector(limit=0, force_close=True),
            cookie_jar=aiohttp.DummyCookieJar(),
            headers=self._headers,
            # Looked up once: aiohttp's own trust_env reads files on every request.
            proxy=_proxy(self._url),
        )
        return self._session

    def _told(self, kind: str, error: BaseException) -> Failure:
        said = redact(f"{type(error).__name__}: {error}", self._secrets)
        if kind == "connect":
            return Failure(kind="connect", message=said)
        if kind == "bad_request":
            return Failure(kind="bad_request", message=said)
        return Failure(kind="stream_interrupted", message=said)

    def _noted(self, found: Mapping[str, str]) -> tuple[dict[str, str], str | None]:
        """Return the headers that are kept, without secrets, and the provider's id of the request.

        One walk over few headers costs less than asking for each name there is.
        """
        kept: dict[str, str] = {}
        ids: dict[str, str] = {}
        for name, value in found.items():
            low = _of_interest(name)
            if low is None:
                continue
            if low in REQUEST_ID_HEADERS:
                ids.setdefault(low, value)
            else:
                kept[low] = redact(value, self._secrets, limit=200)
        for name in REQUEST_ID_HEADERS if ids else ():
            if ids.get(name):
                return kept, ids[name][:200]
        return kept, None

    def _where(self) -> str:
        return redact(self._url.partition("?")[0], self._secrets)


async def _whole(content: aiohttp.StreamReader) -> bytes:
    """Return a body, or its beginning where that is larger than any answer may be."""
    pieces: list[bytes] = []
    left = MAX_BODY_BYTES
    async for piece in content.iter_any():
        pieces.append(piece)
        left -= len(piece)
        if left < 0:
            break
    return b"".join(pieces)


def _endless(most: str) -> Failure:
    return Failure(kind="malformed_response", message=f"the answer is longer than {most}")


@lru_cache(maxsize=512)
def _of_interest(name: str) -> str | None:
    """Return a header's name in lower case if it is kept or names the request, else None."""
    low = name.lower()
    known = low in _KEPT or low in REQUEST_ID_HEADERS or low.startswith(_KEPT_PREFIXES)
    return low if known else None


@lru_cache(maxsize=16)
def _connect_within(seconds: float) -> aiohttp.ClientTimeout:
    return aiohttp.ClientTimeout(total=None, connect=seconds)


def _proxy(url: str) -> str | None:
    """The proxy that the environment names for `url`; this machine is never behind one."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    if host in {"", "localhost", "::1"} or host.startswith("127.") or proxy_bypass(host):
        return None
    return getproxies().get(parts.scheme)
