"""Every trial of a run as JSON lines: the request as rendered, the untouched output, the scores."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import orjson

from befit.analysis.columns import chunks
from befit.core.json_text import harmless
from befit.core.landed import Fact
from befit.core.trial import Trial
from befit.errors import unwritable
from befit.storage.whole_file import whole_file
from befit.storage.workspace import Workspace

AT_ONCE = 200
"""Whole trials in memory at a time."""


def export_trials(workspace: Workspace, run_id: str, path: Path) -> int:
    """Write the trials of a run to `path` and return their number.

    Raises:
        StoreFullError: there is no room.
        UsageError: the file cannot be written.
    """
    count = 0
    try:
        with whole_file(path) as file:
            for part in chunks(workspace.facts(run_id), AT_ONCE):
                trials = workspace.trials(list(dict.fromkeys(fact.key_id for fact in part)))
                for fact in part:
                    trial = trials.get(fact.key_id) or workspace.trial(fact.key_id)
                    file.write(_line(workspace, run_id, fact, trial) + b"\n")
                count += len(part)
    except OSError as error:
        raise unwritable(
            "the trials", where=path, error=error, do="choose another --out"
        ) from error
    return count


def _line(workspace: Workspace, run_id: str, fact: Fact, trial: Trial | None) -> bytes:
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
    try:
        return harmless(orjson.dumps(line, default=str))
    except TypeError:
        # Half a surrogate pair in a model's text: ASCII escapes can hold it, UTF-8 cannot.
        return json.dumps(line, default=str).encode("ascii")
