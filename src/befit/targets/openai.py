"""Any OpenAI-compatible chat endpoint: OpenAI, Azure, vLLM, SGLang, Ollama, Groq, gateways ...

Streamed by default, on aiohttp, without the vendor's package: a client that
spends milliseconds per chunk would distort the times it measures. The dialect
is `wire.chat`, the connection `wire.exchange`.
"""

from __future__ import annotations

import os
from urllib.parse import urlsplit

from befit.core.candidate import Candidate
from befit.core.completion import Completion, Request
from befit.core.failure import Failure
from befit.core.secret_text import secrets_in
from befit.errors import TargetError
from befit.targets.wire.chat import ChatReader
from befit.targets.wire.chat_body import ChatOptions, chat_body
from befit.targets.wire.exchange import Exchange
from befit.targets.wire.halves import written
from befit.targets.wire.options import options_of

DEFAULT_BASE_URL = "https://api.openai.com/v1"
_HOST = "api.openai.com"


class OpenAITarget:
    """A chat-completions endpoint as a target.

    The key is the candidate's; the environment's OPENAI_API_KEY is used for
    OpenAI's own host only, so that it is never sent to somebody else's.

    Raises:
        ConfigError: the candidate's `options` are not those of `ChatOptions`.
    """

    Options = ChatOptions
    """What `options` may hold; project files are checked against it."""

    def __init__(self, candidate: Candidate) -> None:
        self._model = candidate.model
        self._options = options_of(candidate, ChatOptions)
        base = (candidate.base_url or DEFAULT_BASE_URL).rstrip("/")
        at_openai = urlsplit(base).hostname == _HOST
        key = candidate.api_key.get_secret_value() if candidate.api_key else ""
        if not key and at_openai:
            key = os.environ.get("OPENAI_API_KEY", "")
        self._needs_key = at_openai and not key
        self._max_tokens_field = self._options.max_tokens_field or (
            "max_completion_tokens" if at_openai else "max_tokens"
        )
        version = self._options.azure_api_version
        headers = {"Content-Type": "application/json", "Accept": "text/event-stream, */*"}
        if key and version:
            headers["api-key"] = key
        elif key:
            headers["Authorization"] = f"Bearer {key}"
        self.secrets = tuple(filter(None, (key, *secrets_in(candidate.options))))
        """What must not be stored, wherever it turns up."""
        self._secrets = (*self.secrets, *filter(None, self._options.headers.values()))
        self._exchange = Exchange(
            url=base + self._options.path + (f"?api-version={version}" if version else ""),
            headers={**headers, **self._options.headers},
            secrets=self._secrets,
        )

    async def generate(self, request: Request, /) -> Completion:
        """Make one attempt.

        Raises:
            TargetError: with a classified failure.
        """
        if self._needs_key:
            failure = Failure(
                kind="auth", message="no API key: set OPENAI_API_KEY, or api_key of the candidate"
            )
            raise TargetError(failure, where=DEFAULT_BASE_URL)
        body = chat_body(
            request,
            model=self._model,
            options=self._options,
            max_tokens_field=self._max_tokens_field,
        )
        return await self._exchange.run(
            request, body=written(body), reader=ChatReader(secrets=self._secrets)
        )

    async def aclose(self) -> None:
        """Close the connections."""
        await self._exchange.aclose()
