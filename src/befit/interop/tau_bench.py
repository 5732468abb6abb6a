"""Recorded tau-bench runs (Yao et al. 2024): samples, and both sides' words for replay.

A run holds several trials of each task. The task becomes one sample whose user
is played by a model; the agent's and the user's recorded words become two files
that the `replay` target answers from, trial n as repeat n. The tools' recorded
results become the sample's world.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from befit.core.message import Message, Tool
from befit.core.record import Json
from befit.core.sample import Provenance, Sample
from befit.core.world import ToolResult, World
from befit.errors import DataError

STOP = "###STOP###"
_READS = ("get_", "list_", "search_", "find_", "calculate", "think", "transfer_to_human_agents")


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """A run read: samples by task, the two sides as replay records, the rewards by task."""

    samples: tuple[Sample, ...]
    agent: tuple[dict[str, Json], ...]
    user: tuple[dict[str, Json], ...]
    rewards: dict[str, tuple[float, ...]]
    """Sample id -> the benchmark's own reward of each trial, in their order."""


def read_tau_bench(path: Path | str) -> Recorded:
    """Return what a result file of tau-bench holds.

    Raises:
        DataError: the file is no list of trials.
    """
    name = Path(path).name
    try:
        trials = orjson.loads(Path(path).read_bytes())
        rows = sorted(trials, key=lambda row: (row["task_id"], row.get("trial", 0)))
        by_task: dict[int, list[Mapping[str, Any]]] = {}
        for row in rows:
            by_task.setdefault(row["task_id"], []).append(row)
        samples = tuple(_sample(task, own) for task, own in by_task.items())
        sides = [_sides(row, number) for own in by_task.values() for number, row in enumerate(own)]
    except (orjson.JSONDecodeError, KeyError, TypeError, IndexError) as error:
        raise DataError("no result file of tau-bench", where=name, why=repr(error)[:200]) from error
    return Recorded(
        samples=samples,
        agent=tuple(line for agent, _ in sides for line in agent),
        user=tuple(line for _, user in sides for line in user),
        rewards={_id(t): tuple(float(r["reward"]) for r in own) for t, own in by_task.items()},
    )


def write_replay(records: Iterable[Mapping[str, Json]], path: Path | str) -> None:
    """Write records as a file for the `replay` target."""
    with Path(path).open("wb") as file:
        file.writelines(orjson.dumps(record) + b"\n" for record in records)


def _id(task: int) -> str:
    return f"task-{task}"


def _sample(task: int, trials: list[Mapping[str, Any]]) -> Sample:
    described = trials[0]["info"]["task"]
    policy = next(m["content"] for m in trials[0]["traj"] if m["role"] == "system")
    used = {call["name"] for row in trials for call in _calls(row)}
    due = [
        {"name": action["name"], "arguments": action["kwargs"]}
        for action in described["actions"]
        if not action["name"].startswith(_READS)
    ]
    names = sorted(used | {call["name"] for call in due})
    return Sample(
        id=_id(task),
        input=(Message(role="system", content=policy),),
        vars={"goal": described["instruction"]},
        target={
            "calls": due,
            "allowed": [n for n in names if n.startswith(_READS)],
            "says": [str(text) for text in described.get("outputs", ())],
        },
        tools=tuple(Tool(name=tool) for tool in names),
        world=World(results=_results(trials)),
        tags=("tau-bench",),
        provenance=Provenance(source="sierra-research/tau-bench", licence="MIT"),
    )


def _calls(row: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    for message in row["traj"]:
        for call in message.get("tool_calls") or ():
            yield call["function"]


def _results(trials: list[Mapping[str, Any]]) -> dict[str, tuple[ToolResult, ...]]:
    """Return what the tools answered, the first time for each function and arguments."""
    found: dict[str, dict[bytes, ToolResult]] = {}
    for row in trials:
        asked = {
            call["id"]: call["function"]
            for message in row["traj"]
            for call in message.get("tool_calls") or ()
        }
        for message in row["traj"]:
            function = asked.get(message.get("tool_call_id"))
            if message["role"] != "tool" or function is None:
                continue
            given = orjson.loads(function["arguments"])
            key = orjson.dumps(given, option=orjson.OPT_SORT_KEYS)
            result = ToolResult(arguments=given, result=message["content"])
            found.setdefault(function["name"], {}).setdefault(key, result)
    return {name: tuple(rows.values()) for name, rows in found.items()}


def _sides(
    row: Mapping[str, Any], repeat: int
) -> tuple[list[dict[str, Json]], list[dict[str, Json]]]:
    agent: list[dict[str, Json]] = []
    user: list[dict[str, Json]] = []
    for message in row["traj"]:
        side = {"assistant": agent, "user": user}.get(message["role"])
        if side is None:
            continue
        calls = [{"id": call["id"], **call["function"]} for call in message.get("tool_calls") or ()]
        line = {
            "sample_id": _id(row["task_id"]),
            "repeat": repeat,
            "turn": len(side),
            "text": message["content"] or "",
        }
        side.append({**line, "tool_calls": calls} if calls else line)
    last = row["traj"][-1]
    if last["role"] == "tool" or (last["role"] == "user" and STOP not in last["content"]):
        # The benchmark ends a trial at a hand-over to a person, or at its cap of 30 steps.
        over = {"sample_id": _id(row["task_id"]), "repeat": repeat, "turn": len(agent)}
        if last.get("name") == "transfer_to_human_agents":
            agent.append({**over, "text": "(handed over to a person)"})
        else:
            failure = {"kind": "cap_reached", "message": "the recorded trial ends here"}
            agent.append({**over, "failure": failure})
    if not user or STOP not in user[-1]["text"]:
        over = {"sample_id": _id(row["task_id"]), "repeat": repeat, "turn": len(user)}
        user.append({**over, "text": STOP})
    return agent, user
