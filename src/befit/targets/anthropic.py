"""Anthropic's Messages API as a target, streamed by default.

The second dialect worth having beside chat completions: cache and thinking
tokens are only reported here. The dialect is `wire.messages`, the connection
`wire.exchange`.
"""

from __future__ import annotations

import os
from dataclasses import replace
from urllib.parse import urlsplit

from befit.core.candidate import Candidate
from befit.core.completion import Completion, Request
from befit.core.failure import Failure
from befit.core.secret_text import secrets_in
from befit.errors import TargetError
from befit.targets.wire.exchange import Exchange
from befit.targets.wire.halves import written
from befit.targets.wire.messages import MessagesReader
from befit.targets.wire.messages_body import ANSWER_TOOL, MessagesOptions, messages_body
from befit.targets.wire.options import options_of

DEFAULT_BASE_URL = "https://api.anthropic.com"
_HOST = "api.anthropic.com"


class AnthropicTarget:
    """A Messages endpoint as a target. `base_url` may end in `/v1` or not.

    The key is the candidate's; the environment's ANTHROPIC_API_KEY is used for
    Anthropic's own host only, so that it is never sent to somebody else's.
    Seeds are not sent: the dialect has none.

    Raises:
        ConfigError: the candidate's `options` are not those of `MessagesOptions`.
    """

    Options = MessagesOptions
    """What `options` may hold; project files are checked against it."""

    def __init__(self, candidate: Candidate) -> None:
        self._model = candidate.model
        self._options = options_of(candidate, MessagesOptions)
        base = (candidate.base_url or DEFAULT_BASE_URL).rstrip("/").removesuffix("/v1")
        own_host = urlsplit(base).hostname == _HOST
        key = candidate.api_key.get_secret_value() if candidate.api_key else ""
        if not key and own_host:
            key = os.environ.get("ANTHROPIC_API_KEY", "")
        self._needs_key = own_host and not key
        headers = {
            "Content-Type": "application/json",
            "Accept": "text/event-stream, */*",
            "anthropic-version": self._options.version,
        }
        if key:
            headers["x-api-key"] = key
        self.secrets = tuple(filter(None, (key, *secrets_in(candidate.options))))
        """What must not be stored, wherever it turns up."""
        self._secrets = (*self.secrets, *filter(None, self._options.headers.values()))
        self._exchange = Exchange(
            url=f"{base}/v1/messages",
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
                kind="auth",
                message="no API key: set ANTHROPIC_API_KEY, or api_key of the candidate",
            )
            raise TargetError(failure, where=DEFAULT_BASE_URL)
        body = messages_body(request, model=self._model, options=self._options)
        completion = await self._exchange.run(
            request, body=written(body), reader=MessagesReader(secrets=self._secrets)
        )
        return completion if request.response_schema is None else _unwrapped(completion)

    async def aclose(self) -> None:
        """Close the connections."""
        await self._exchange.aclose()


def _unwrapped(completion: Completion) -> Completion:
    """The input of the answer tool is the answer; other calls stay calls."""
    answers = [call.arguments for call in completion.tool_calls if call.name == ANSWER_TOOL]
    if not answers:
        return completion
    others = tuple(call for call in completion.tool_calls if call.name != ANSWER_TOOL)
    reason = completion.finish_reason
    if reason == "tool_calls" and not others:
        reason = "stop"
    return replace(completion, text=answers[-1], tool_calls=others, finish_reason=reason)
