"""`befit stability`: one prompt, one candidate, n answers, and how alike they are."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from befit.cli import shell as codes
from befit.cli.common import read_project
from befit.cli.words import count, rate
from befit.config.load import importable
from befit.core.completion import Request
from befit.core.message import Message
from befit.engine.opening import open_targets
from befit.engine.seeds import request_seed
from befit.errors import TargetError, UsageError
from befit.pipeline.equality import sameness
from befit.pipeline.repeating import equality_of, measure
from befit.plugins import nearest

if TYPE_CHECKING:
    from befit.cli.shell import Shell
    from befit.config.project import Project
    from befit.core.candidate import Candidate


def repeat_prompt(
    shell: Shell, prompt: str, *, project: Path, candidate: str, n: int, same: str
) -> int:
    """Ask n times and print the raw outputs, agreement and similarity."""
    loaded = read_project(project, shell, keys_needed=True)
    chosen = _candidate(loaded, candidate)
    text = sys.stdin.read() if prompt == "-" else prompt
    with importable(loaded.folder):
        sameness(equality_of(same))  # a wrong name is told before anything is paid for
        outputs, errors = asyncio.run(_ask(chosen, text, n=n, seed=loaded.settings.seed))
        found = measure(text, outputs, failures=[error.what for error in errors], same=same)
    for index, output in enumerate(found.outputs):
        shell.data(f"--- {index + 1}\n{output}")
    for failure in found.failures:
        shell.warn(f"a call failed and is missing: {failure}")
    value, interval = rate(found.agreement)
    shell.data(f"\nresult consistency  {value} {interval}  n = {count(found.agreement)}")
    shell.data(f"  the same means: {found.same_means}")
    value, interval = rate(found.similarity)
    shell.data(f"mean similarity     {value} {interval}  by {found.similarity_by}; not correctness")
    return shell.result(
        {
            "candidate": chosen.name,
            "outputs": list(found.outputs),
            "failures": list(found.failures),
            "same_means": found.same_means,
            "agreement": found.agreement.to_dict(),
            "similarity": found.similarity.to_dict(),
            "similarity_by": found.similarity_by,
        },
        code=codes.of_failures(error.failure.kind for error in errors) if errors else codes.OK,
    )


def _candidate(project: Project, name: str) -> Candidate:
    names = [candidate.name for candidate in project.candidates]
    if not name:
        return project.candidates[0]
    for candidate in project.candidates:
        if candidate.name == name:
            return candidate
    raise UsageError(
        f"no candidate '{name}'", why=f"{nearest(name, names)}known: {', '.join(names)}"
    )


async def _ask(
    candidate: Candidate, prompt: str, *, n: int, seed: object
) -> tuple[list[str], list[TargetError]]:
    system = candidate.prompt.system
    head = (Message(role="system", content=system),) if system else ()
    outputs: list[str] = []
    errors: list[TargetError] = []
    run_seed = seed if isinstance(seed, int) else 0
    async with open_targets([candidate]) as targets:
        for repeat in range(n):
            request = Request(
                messages=(*head, Message(role="user", content=prompt)),
                sampling=candidate.sampling,
                stream=candidate.stream,
                timeouts=candidate.timeouts,
                seed=request_seed(run_seed, sample_id="stability", repeat=repeat),
                metadata={"sample_id": "stability", "repeat": str(repeat)},
            )
            try:
                answer = await targets[candidate.name].generate(request)
                outputs.append(answer.text)
            except TargetError as error:
                errors.append(error)
    return outputs, errors
