"""A model on this machine, run by llama.cpp inside this process: nothing leaves the machine.

`candidate.model` is a name of the catalogue (`befit models`) or the path of a
GGUF file. At temperature 0 the same request gives the same answer: one request
at a time, one thread by default, no reuse of an earlier prompt.
"""

from __future__ import annotations

import asyncio
import importlib.util
from dataclasses import replace
from pathlib import Path

import orjson
from pydantic import Field

from befit.core.candidate import Candidate
from befit.core.completion import Completion, Request
from befit.core.failure import Failure
from befit.core.record import Record
from befit.errors import ModelError, PluginError, TargetError
from befit.plugins import nearest
from befit.targets.catalogue import CATALOGUE, Chat
from befit.targets.llama import PLAIN_STOPS, Launch, LlamaServer, identity
from befit.targets.models import known, model_path
from befit.targets.wire.chat import ChatReader
from befit.targets.wire.chat_body import ChatOptions, chat_body
from befit.targets.wire.exchange import Exchange
from befit.targets.wire.options import options_of

_BODY = ChatOptions(extra_body={"cache_prompt": False})
"""Reusing the state of an earlier prompt changes answers in the last digits."""


class LocalOptions(Record):
    """`options` of a `local` candidate.

    `chat` is the catalogue's choice if None, `template` for other files.
    """

    chat: Chat | None = None
    threads: int = Field(default=1, gt=0, le=64)
    context: int = Field(default=2048, ge=128)


class LocalTarget:
    """A GGUF model as a target; loaded at the first request, one request at a time.

    The time of loading is no part of any latency.

    Raises:
        ConfigError: unusable `options`.
        ModelError: the model is unknown or not fetched.
        PluginError: the extra `local` is not installed.
    """

    Options = LocalOptions
    """What `options` may hold; project files are checked against it."""

    @staticmethod
    def unknown_model(name: str) -> str:
        """Return why no model of that name can be there, when a project is read; "" else.

        A path may be one of another machine: whether its file is there shows when it runs.
        """
        names = [model.name for model in CATALOGUE]
        if name in names or "/" in name or Path(name).suffix or Path(name).is_file():
            return ""
        return f"{nearest(name, names)}known: {', '.join(names)}, or the path of a GGUF file"

    concurrency = 1
    """Requests it serves at a time; more only wait."""

    def __init__(self, candidate: Candidate) -> None:
        self._launch = _launch(candidate)
        if importlib.util.find_spec("xllamacpp") is None:
            raise PluginError(
                "target 'local' needs an extra that is not installed",
                do="pip install 'befit[local]'",
            )
        self._turn = asyncio.Lock()
        self._loading: asyncio.Task[LlamaServer] | None = None
        self._exchange: Exchange | None = None

    async def generate(self, request: Request, /) -> Completion:
        """Make one attempt.

        Raises:
            TargetError: with a classified failure; a file that does not load is
                a configuration failure.
        """
        if self._launch.chat == "plain":
            sampling = request.sampling
            stop = tuple(dict.fromkeys((*sampling.stop, *PLAIN_STOPS)))
            request = replace(request, sampling=sampling.model_copy(update={"stop": stop}))
        async with self._turn:
            if self._exchange is None:
                self._exchange = await self._start()
                request = replace(request, scheduled=None)
            body = chat_body(
                request, model=self._launch.name, options=_BODY, max_tokens_field="max_tokens"
            )
            completion = await self._exchange.run(
                request, body=orjson.dumps(body), reader=ChatReader()
            )
        if self._launch.chat == "plain":
            # The template ends in "Answer:", so that the first token brings its own space.
            completion = replace(completion, text=completion.text.removeprefix(" "))
        return completion

    async def aclose(self) -> None:
        """Stop the server and free the model's memory."""
        if self._exchange is not None:
            await self._exchange.aclose()
        loading, self._loading, self._exchange = self._loading, None, None
        if loading is not None:
            await asyncio.wait([loading])
            if loading.exception() is None:
                await asyncio.to_thread(loading.result().close)

    async def _start(self) -> Exchange:
        if self._loading is None:
            self._loading = asyncio.create_task(asyncio.to_thread(LlamaServer, self._launch))
        try:
            # A thread cannot be stopped: a cancelled request leaves the loading to the next.
            server = await asyncio.shield(self._loading)
        except ModelError as error:
            self._loading = None
            failure = Failure(kind="not_found", message=f"{error.what}: {error.why}"[:500])
            raise TargetError(failure, where=error.where) from error
        # llama.cpp promises to keep a connection alive and closes it after a stream, so
        # that the next request on it would be lost.
        headers = {"Content-Type": "application/json", "Connection": "close"}
        url = f"{server.base_url}/chat/completions"
        return Exchange(url=url, headers=headers, secrets=())


def _launch(candidate: Candidate) -> Launch:
    options = options_of(candidate, LocalOptions)
    model = known(candidate.model)
    path = model_path(model) if model else Path(candidate.model).expanduser()
    if model is not None and not path.is_file():
        raise ModelError(
            f"model '{model.name}' of candidate '{candidate.name}' has not been fetched",
            where=str(path),
            do=f"befit models fetch {model.name}",
        )
    if not path.is_file():
        names = ", ".join(known_model.name for known_model in CATALOGUE)
        raise ModelError(
            f"no model '{candidate.model}' for candidate '{candidate.name}'",
            why=f"it is neither a file nor a known name ({names})",
            do="befit models",
        )
    name = f"{model.name if model else path.stem}@{identity(path)}"
    return Launch(
        path=path,
        name=name,
        chat=options.chat or (model.chat if model else "template"),
        threads=options.threads,
        context=options.context,
    )
