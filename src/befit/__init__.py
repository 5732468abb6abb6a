"""Choose the model that befits the task, by evidence.

The names below are loaded on first use, so that importing befit costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

_WHERE = {
    "BefitError": "errors",
    "Candidate": "core.candidate",
    "Completion": "core.completion",
    "Estimate": "core.estimate",
    "Message": "core.message",
    "Project": "config.project",
    "Request": "core.completion",
    "Run": "pipeline.result",
    "Sample": "core.sample",
    "ScenarioSpec": "core.scenario",
    "Score": "core.score",
    "Trial": "core.trial",
    "Workspace": "storage.workspace",
    "compare": "pipeline.evaluating",
    "evaluate": "pipeline.evaluating",
    "load_project": "config.load",
    "open_run": "pipeline.evaluating",
    "run_repeated": "pipeline.repeating",
}


def __getattr__(name: str) -> Any:
    if name not in _WHERE:
        raise AttributeError(f"module 'befit' has no attribute '{name}'")
    return getattr(import_module(f"befit.{_WHERE[name]}"), name)


def __dir__() -> list[str]:
    return sorted(_WHERE)
