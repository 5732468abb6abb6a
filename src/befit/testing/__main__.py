"""Run the fake provider alone: `python -m befit.testing --port 8099 --script script.json`.

Prints one JSON line with its `base_url` when it is ready, and serves until it
is killed. `--script` takes a file or the JSON text itself; `--fast` answers
every chat completion with the script's `answer` at almost no CPU cost, for
benchmarks.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from pathlib import Path

from pydantic import ValidationError

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
    arguments = parser.parse_args()
    try:
        asyncio.run(_run(arguments))
    except KeyboardInterrupt:
        return
    except (OSError, ValidationError) as error:
        why = error.strerror if isinstance(error, OSError) else str(error).splitlines()[0]
        parser.error(f"cannot serve at port {arguments.port} by '{arguments.script[:80]}': {why}")


if __name__ == "__main__":
    main()
