"""Run the fake provider alone: `python -m befit.testing --port 8099 --script script.json`.

Prints one JSON line with its `base_url` when it is ready, and serves until it
is killed. `--script` takes a file or the JSON text itself; `--fast` answers
every chat completion with the script's `answer` at almost no CPU cost, for
benchmarks.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import sys
from pathlib import Path

from befit.testing.fast import serve_fast
from befit.testing.handler import Handler
from befit.testing.provider import serve
from befit.testing.script import Script


def _script(given: str) -> Script:
    text = given if given.lstrip().startswith("{") else Path(given).read_text("utf-8")
    return Script.model_validate_json(text)


async def _run(arguments: argparse.Namespace) -> None:
    script = _script(arguments.script)
    handler = Handler(script, log=arguments.log)
    if arguments.fast:
        port = await serve_fast(script, port=arguments.port)
    else:
        _, port = await serve(handler, port=arguments.port)
    sys.stdout.write(json.dumps({"base_url": f"http://127.0.0.1:{port}/v1"}) + "\n")
    sys.stdout.flush()
    await asyncio.Event().wait()


def main() -> None:
    """Parse the arguments and serve."""
    parser = argparse.ArgumentParser(prog="python -m befit.testing", description="fake provider")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--script", default="{}")
    parser.add_argument("--log", type=Path)
    parser.add_argument("--fast", action="store_true")
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(_run(parser.parse_args()))


if __name__ == "__main__":
    main()
