"""A model on this machine, run by llama.cpp inside this process: nothing leaves the machine.

`candidate.model` is a name of the catalogue (`befit models`) or the path of a
GGUF file. At temperature 0 the same request gives the same answer: one request
at a time, one thread by default, no reuse of an earlier prompt.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import importlib.util
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

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
from befit.targets.wire.halves import written
from befit.targets.wire.options import options_of

T = TypeVar("T")

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
        self._loading: concurrent.futures.Future[LlamaServer] | None = None
        self._loaded: asyncio.Future[LlamaServer] | None = None
        """The same, to be waited for in the event loop."""
        self._exchange: Exchange | None = None
        self._cut = False
        """Whether a request was cut off: the model may be computing for nobody."""

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
            try:
                completion = await self._answer(request)
            except asyncio.CancelledError:
                self._cut = True
                raise
            self._cut = False
        if self._launch.chat == "plain":
            # The template ends in "Answer:", so that the first token brings its own space.
            completion = replace(completion, text=completion.text.removeprefix(" "))
        return completion

    async def _answer(self, request: Request) -> Completion:
        if self._exchange is None:
            self._exchange = await self._start()
            request = replace(request, scheduled=None)
        body = chat_body(
            request, model=self._launch.name, options=_BODY, max_tokens_field="max_tokens"
        )
        return await self._exchange.run(request, body=written(body), reader=ChatReader())

    async def aclose(self) -> None:
        """Stop the server and free the model's memory.

        After a request that was cut off nobody waits for that: a prompt under way is computed
        to its end first, which may take half a minute.
        """
        if self._exchange is not None:
            await self._exchange.aclose()
        loading, loaded = self._loading, self._loaded
        self._loading = self._loaded = self._exchange = None
        if loading is None or loaded is None:
            return
        if self._cut:
            self._cut = False
            loaded.cancel()
            aside(lambda: _close_later(loading))
            return
        await asyncio.wait([loaded])
        if loaded.exception() is None:
            await asyncio.to_thread(loaded.result().close)

    async def _start(self) -> Exchange:
        if self._loading is None or self._loaded is None:
            self._loading = aside(lambda: LlamaServer(self._launch))
            self._loaded = asyncio.wrap_future(self._loading)
        try:
            # A thread cannot be stopped: a cancelled request leaves the loading to the next.
            server = await asyncio.shield(self._loaded)
        except ModelError as error:
            self._loading = self._loaded = None
            failure = Failure(kind="not_found", message=f"{error.what}: {error.why}"[:500])
            raise TargetError(failure, where=error.where) from error
        # llama.cpp promises to keep a connection alive and closes it after a stream, so
        # that the next request on it would be lost.
        headers = {"Content-Type": "application/json", "Connection": "close"}
        url = f"{server.base_url}/chat/completions"
        return Exchange(url=url, headers=headers, secrets=())


def aside(work: Callable[[], T]) -> concurrent.futures.Future[T]:
    """Run `work` on a thread of its own that keeps no process alive."""
    future: concurrent.futures.Future[T] = concurrent.futures.Future()
    future.set_running_or_notify_cancel()

    def run() -> None:
        try:
            future.set_result(work())
        except BaseException as error:  # noqa: BLE001  # whoever asks for the result gets it
            future.set_exception(error)

    threading.Thread(target=run, name="befit-local", daemon=True).start()
    return future


def _close_later(loading: concurrent.futures.Future[LlamaServer]) -> None:
    with contextlib.suppress(ModelError, PluginError):
        loading.result().close_when_idle()


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
