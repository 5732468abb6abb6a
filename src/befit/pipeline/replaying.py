"""A run's answers as files of recorded answers: what the `replay` target answers from.

One file per candidate, because a record names the question (scenario, sample,
repeat), not who answered it. Usage and timing are kept as they were measured,
rounded to a tenth of a millisecond.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import fields, replace
from pathlib import Path

from befit.core.completion import Completion, Timing
from befit.core.failure import Failure, FailureKind
from befit.core.landed import Fact
from befit.core.trial import Trial
from befit.errors import UsageError, unwritable
from befit.storage.workspace import Workspace
from befit.targets.recording import Identity, ReplayWriter

_PLACES = 4
_OWN: frozenset[FailureKind] = frozenset({"cap_reached", "scripted_turn"})
"""Failures that befit itself decides after an answer: a replay comes to them again."""


def export_replay(workspace: Workspace, run_id: str, folder: Path) -> dict[str, int]:
    """Write one file per candidate into `folder`; return candidate -> number of records.

    Trials that are missing are left out: a replay then says that nothing is recorded.

    Raises:
        UsageError: a file cannot be written, or two candidates' files would have one name.
    """
    names = [entry.candidate.name for entry in workspace.find_run(run_id).candidates]
    files = {name: folder / f"{_safe(name)}.jsonl" for name in names}
    if len(set(files.values())) < len(names):
        raise UsageError("two candidates' names differ only in signs no file name has")
    counts: dict[str, int] = {}
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, path in files.items():
            with ReplayWriter(path) as writer:
                counts[name] = sum(
                    _write(writer, fact, workspace.trial(fact.key_id))
                    for fact in workspace.facts(run_id)
                    if fact.candidate == name
                )
    except OSError as error:
        raise unwritable(
            "the answers", where=folder, error=error, do="choose another --out"
        ) from error
    return counts


def _safe(name: str) -> str:
    bare = re.sub(r"[^\w.-]", "_", name)
    # A leading dot would hide the file, a leading dash would be an option.
    return re.sub(r"^[.-]+", lambda found: "_" * len(found[0]), bare)


def _write(writer: ReplayWriter, fact: Fact, trial: Trial | None) -> int:
    if trial is None or trial.status == "missing":
        return 0
    count = 0
    for step, answer in _answers(trial):
        writer.write(
            answer,
            of=Identity(
                scenario=fact.scenario,
                sample_id=fact.sample_id,
                repeat=fact.repeat,
                variant=fact.variant,
                turn=step,
            ),
        )
        count += 1
    return count


def _answers(trial: Trial) -> Iterator[tuple[int, Completion | Failure]]:
    """Yield every answer with its step, and the failure of the call that ended the trial."""
    answers: list[Completion | Failure] = [_rounded(one) for one in trial.completions]
    if trial.failure is not None and trial.failure.kind not in _OWN:
        # What was said before a failure is kept as an answer, but the call itself failed.
        if answers and trial.transcript and trial.transcript[-1].role == "assistant":
            answers.pop()
        answers.append(trial.failure)
    yield from enumerate(answers)


def _rounded(answer: Completion) -> Completion:
    """Clock readings have 17 digits, of which the last ten mean nothing."""
    times = {field.name: getattr(answer.timing, field.name) for field in fields(Timing)}
    shown = {
        name: round(value, _PLACES) if isinstance(value, float) else value
        for name, value in times.items()
    }
    return replace(answer, timing=Timing(**shown))
