"""Every trial of a run as JSON lines: the request as rendered, the untouched output, the scores."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import orjson

from befit.errors import UsageError
from befit.storage.workspace import Workspace


def export_trials(workspace: Workspace, run_id: str, path: Path) -> int:
    """Write the trials of a run to `path` and return their number.

    Raises:
        UsageError: the file cannot be written.
    """
    count = 0
    try:
        with path.open("wb") as file:
            for fact in workspace.facts(run_id):
                trial = workspace.trial(fact.key_id)
                scores = workspace.score_details(
                    run_id, fact.candidate, fact.scenario, fact.sample_id, fact.variant, fact.repeat
                )
                line = {
                    "run": run_id,
                    **fact._asdict(),
                    "transcript": []
                    if trial is None
                    else [message.model_dump(mode="json") for message in trial.transcript],
                    "output": None if trial is None else trial.output,
                    "scores": [asdict(score) for score in scores],
                }
                file.write(orjson.dumps(line, default=str) + b"\n")
                count += 1
    except OSError as error:
        raise UsageError(
            "the trials cannot be written",
            where=str(path),
            why=str(error),
            do="choose another --out",
        ) from error
    return count
