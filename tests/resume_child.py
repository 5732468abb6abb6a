"""A run to be killed: `python resume_child.py FOLDER BASE_URL COUNT REPEATS CONCURRENCY`.

Prints `ready` when the calls begin and the outcome's status when it gets so far.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from befit.engine.executor import execute
from befit.engine.opening import open_targets
from engine_ground import candidate, job, numbered, scenario, workspace


async def main() -> str:
    folder, base_url, *numbers = sys.argv[1:]
    count, repeats, concurrency = (int(number) for number in numbers)
    entry = candidate(base_url=base_url)
    one = job(
        [entry],
        [scenario(numbered(count, text="[[say:42]] question {i}."), repeats=repeats)],
        concurrency=concurrency,
        n_slots=count * repeats,
    )
    with workspace(Path(folder), one) as store:
        async with open_targets([entry.candidate]) as targets:
            sys.stdout.write("ready\n")
            sys.stdout.flush()
            outcome = await execute(one, store=store, targets=targets)
        store.finish(one.run_id, outcome.status)
        return outcome.status


if __name__ == "__main__":
    sys.stdout.write(asyncio.run(main()) + "\n")
