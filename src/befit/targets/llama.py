"""llama.cpp inside this process: loads one model file and serves it on 127.0.0.1.

`local` speaks to it like to any other endpoint, so that times are measured and
failures classified the same way for all targets.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import urllib.request
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from befit.errors import ModelError, PluginError
from befit.targets.catalogue import Chat

PLAIN_STOPS = ("\nQuestion:", "\n\n")
"""Where a base model's answer ends: before it goes on to ask the next question itself."""

IDLE_WITHIN = 600.0
"""Seconds that a computation which nobody waits for may take to its end."""
_PLAIN_TEMPLATE = """\
{%- for message in messages -%}
{%- if message.role == 'system' -%}{{ message.content }}{{ '\\n\\n' }}
{%- elif message.role == 'assistant' -%}{{ ' ' }}{{ message.content }}{{ '\\n\\n' }}
{%- else -%}{{ 'Question: ' }}{{ message.content }}{{ '\\nAnswer:' }}
{%- endif -%}
{%- endfor -%}
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Launch:
    """What to load: the file, the name it answers under, and how."""

    path: Path
    name: str
    chat: Chat
    threads: int
    context: int
    """Tokens of prompt and answer together."""


class LlamaServer:
    """A running server; it ends when it is closed. Loading blocks (0.6 s per 100 MB)."""

    def __init__(self, launch: Launch) -> None:
        # Threads of OpenMP would spin while they wait and slow each other down; it is
        # read when the library is loaded, and one's own setting stays.
        os.environ.setdefault("OMP_WAIT_POLICY", "passive")
        try:
            import xllamacpp  # noqa: PLC0415 (an optional extra of 100 MB)
        except ImportError as error:
            raise PluginError(
                "target 'local' needs an extra that is not installed",
                why=str(error),
                do="pip install 'befit[local]'",
            ) from error
        params = xllamacpp.CommonParams()
        params.model.path = str(launch.path)
        params.model_alias = {launch.name}
        params.n_ctx = launch.context
        params.n_parallel = 1  # batching makes even temperature 0 vary
        params.n_gpu_layers = 0
        params.cpuparams.n_threads = launch.threads
        params.cpuparams_batch.n_threads = launch.threads
        params.port = 0
        params.ui = False
        params.warmup = False
        params.cache_ram_mib = 0
        params.verbosity = -1
        if launch.chat == "plain":
            params.chat_template = _PLAIN_TEMPLATE
        try:
            self._server: Any = xllamacpp.Server(params)
        except (RuntimeError, ValueError, OSError) as error:
            raise ModelError(
                "llama.cpp cannot load the model file",
                where=str(launch.path),
                why=str(error),
                do="check that the file is a whole GGUF file: befit models",
            ) from error
        self.base_url = f"{self._server.listening_address}/v1"

    def close_when_idle(self) -> None:
        """Stop serving as soon as nothing is computed: until then `close` stops all of Python."""
        asked = {"messages": [{"role": "user", "content": "a"}], "max_tokens": 1}
        with contextlib.suppress(OSError, ValueError):
            # One more request waits for its turn; it has it when the one before has ended.
            urllib.request.urlopen(  # noqa: S310 - our own server on 127.0.0.1
                urllib.request.Request(  # noqa: S310 - the same
                    f"{self.base_url}/chat/completions",
                    data=orjson.dumps(asked),
                    headers={"Content-Type": "application/json"},
                ),
                timeout=IDLE_WITHIN,
            ).close()
        self.close()

    def close(self) -> None:
        """Stop serving and give the memory back."""
        self._server = None


def identity(path: Path) -> str:
    """Return 12 hexadecimal digits that tell one model file from another.

    From its size and its first and last MiB: reading the whole of many
    gigabytes at each start would take longer than a small run.
    """
    digest = hashlib.sha256(str(path.stat().st_size).encode())
    with path.open("rb") as file:
        digest.update(file.read(2**20))
        file.seek(max(0, path.stat().st_size - 2**20))
        digest.update(file.read())
    return digest.hexdigest()[:12]
