"""How one sample's answers are shown: the request, the untouched output, every judgement."""

from __future__ import annotations

import json
from dataclasses import asdict
from itertools import islice
from typing import TYPE_CHECKING, Any

from befit.cli.conversation_view import score_line, show_given, show_turns, turn_of, turns_of
from befit.cli.shell import visible
from befit.cli.words import show_table
from befit.errors import UsageError
from befit.plugins import nearest

if TYPE_CHECKING:
    from befit.cli.shell import Shell
    from befit.core.landed import Fact
    from befit.core.run import Manifest
    from befit.core.score import Score
    from befit.core.trial import Trial
    from befit.storage.workspace import Workspace

CUT = 600
LISTED = 50
"""Failed trials in a list, where nothing else is asked."""
ALL = 2**31 - 1
ALIKE = 2_000
"""Samples of a scenario among which a name that is not there is looked for."""
ID = 16
"""Characters of a trial's id that are shown; its beginning is enough to name it."""


def show_sample(
    shell: Shell,
    workspace: Workspace,
    manifest: Manifest,
    *,
    sample: str,
    only: tuple[str, str],
    raw: bool,
) -> list[dict[str, Any]]:
    """Print every answer to a sample; return them as JSON values.

    `only` restricts to a scenario and a candidate ("" is any).
    """
    _known(manifest, only)
    scenario, candidate = only
    found: list[dict[str, Any]] = []
    for name in [s.spec.name for s in manifest.scenarios]:
        if scenario and name != scenario:
            continue
        stored = workspace.sample(manifest.id, name, sample)
        if stored is None:
            continue
        shell.data(f"{name} / {sample}   expected {json.dumps(stored.target, ensure_ascii=False)}")
        earlier = _earlier(workspace, manifest, name, sample)
        for one in earlier:
            shell.data(
                f"  until {one['until']} expected {json.dumps(one['target'], ensure_ascii=False)}"
            )
        for fact in workspace.slots(manifest.id, name, sample):
            if candidate and fact.candidate != candidate:
                continue
            trial = workspace.trial(fact.key_id)
            scores = workspace.score_details(
                manifest.id, fact.candidate, name, sample, fact.variant, fact.repeat
            )
            _show(shell, fact, trial, scores, raw=raw)
            found.append(
                _data(fact, trial, scores) | {"target": stored.target, "earlier_targets": earlier}
            )
    if not found:
        raise _nothing(workspace, manifest, sample=sample, only=only)
    return found


def _known(manifest: Manifest, only: tuple[str, str]) -> None:
    """Refuse a scenario or a candidate that is no part of the run."""
    scenarios = [one.spec.name for one in manifest.scenarios]
    candidates = [one.candidate.name for one in manifest.candidates]
    both = (("scenario", scenarios), ("candidate", candidates))
    for name, (what, known) in zip(only, both, strict=True):
        if name and name not in known:
            raise UsageError(
                f"run {manifest.id} has no {what} '{name}'",
                why=f"{nearest(name, known)}it has: {', '.join(known)}",
                do="befit runs lists the other runs",
            )


def _nothing(
    workspace: Workspace, manifest: Manifest, *, sample: str, only: tuple[str, str]
) -> UsageError:
    """Return why a run has nothing to show of a sample: no such sample, or no answer yet."""
    scenario, candidate = only
    names = [scenario] if scenario else [one.spec.name for one in manifest.scenarios]
    where = f"run {manifest.id}, scenario{'s' * (len(names) > 1)} {', '.join(names)}"
    ids = [one.id for name in names for one in islice(workspace.samples(manifest.id, name), ALIKE)]
    if not any(workspace.sample(manifest.id, name, sample) for name in names):
        return UsageError(
            f"there is no sample '{sample}'",
            where=where,
            why=f"{nearest(sample, ids)}{'it begins' if ids else 'it has none'}"
            f"{' with ' + ', '.join(ids[:3]) if ids else ''}",
            do="befit show without a sample lists the trials that did not pass",
        )
    return UsageError(
        f"sample '{sample}' was not answered{f' by {candidate!r}' * bool(candidate)}",
        where=where,
        why="none of its trials has landed: the run was stopped, or still goes on",
        do="befit run with the same project and label goes on with it",
    )


def _earlier(
    workspace: Workspace, manifest: Manifest, scenario: str, sample: str
) -> list[dict[str, Any]]:
    """Return the targets a sample had until the run was scored again, oldest first."""
    ended = {one.scoring: one.at for one in manifest.amendments}
    return [
        {"until": ended.get(scoring, ""), "target": old.target}
        for scoring, old in workspace.earlier_samples(manifest.id, scenario, sample)
    ]


def show_failing(
    shell: Shell,
    workspace: Workspace,
    manifest: Manifest,
    *,
    only: tuple[str, str],
    limit: int | None = LISTED,
) -> list[dict[str, Any]]:
    """List the trials that did not pass, the first `limit`; return them as JSON values."""
    _known(manifest, only)
    scenario, candidate = only
    facts = workspace.failing(
        manifest.id,
        scenario=scenario or None,
        candidate=candidate or None,
        limit=ALL if limit is None else limit + 1,
    )
    more = limit is not None and len(facts) > limit
    facts = facts[:limit]
    from befit.pipeline.failing import named_failure  # noqa: PLC0415 - lazy verb

    specs = {one.spec.name: one.spec for one in manifest.scenarios}
    modes = [named_failure(workspace, manifest.id, f, specs[f.scenario]) for f in facts]
    rows = [
        [f.scenario, f.sample_id, f.candidate, str(f.repeat), mode]
        for f, mode in zip(facts, modes, strict=True)
    ]
    header = ["scenario", "sample", "candidate", "repeat", "failure"]
    show_table(shell, header, rows, title="Failed trials", numeric=(3,))
    if more:
        # In JSON, too: a list that is cut must not be taken for the whole.
        shell.warn(f"only the first {limit} are listed; --all, --limit, --scenario or --candidate")
    else:
        shell.say(f"{len(facts)} failed")
    lost = workspace.missing(manifest.id, scenario=scenario or None, candidate=candidate or None)
    if lost:
        kinds = ", ".join(f"{kind}: {n:,}" for kind, n in lost.items())
        shell.say(f"{sum(lost.values()):,} missing, neither right nor wrong ({kinds})")
    return [fact._asdict() | {"mode": mode} for fact, mode in zip(facts, modes, strict=True)]


def _show(shell: Shell, fact: Fact, trial: Trial | None, scores: list[Score], *, raw: bool) -> None:
    verdict = {1.0: "pass", 0.0: "FAIL", None: "unscored"}.get(fact.passed, f"{fact.passed}")
    if fact.status == "missing":
        verdict = f"missing ({fact.failure})"
    shell.data(f"\n{fact.candidate}  repeat {fact.repeat}  {verdict}  trial {fact.key_id[:ID]}")
    if trial is None:
        shell.data("  the answer was deleted")
        return
    if trial.failure is not None:
        shell.data(
            f"  {trial.failure.kind}: {visible(trial.failure.message) or 'nothing was said'}"
        )
    turns = turns_of(trial)
    if raw:
        for message in trial.transcript[: len(trial.transcript) - sum(len(t.said) for t in turns)]:
            shell.data(f"  --- {message.role}")
            shell.data(_indent(message.text))
    if turns:
        show_turns(shell, turns, scores, raw=raw)
    else:
        show_given(shell, trial, raw=raw)
        shell.data("  --- output, untouched" if raw else "  output")
        shell.data(_indent(trial.output if raw else trial.output[:CUT]))
    for score in scores:
        if turns and turn_of(score):
            continue
        # What turns add up to is told of a conversation; else befit's own score is the verdict.
        if score.scorer != "befit" or (turns and score.name != "pass"):
            shell.data(f"  {score_line(score, trial.output)}")


def _indent(text: str) -> str:
    return "\n".join(f"    {line}" for line in text.split("\n"))


def _data(fact: Fact, trial: Trial | None, scores: list[Score]) -> dict[str, Any]:
    return {
        "fact": fact._asdict(),
        "transcript": []
        if trial is None
        else [message.model_dump(mode="json") for message in trial.transcript],
        "failure": None
        if trial is None or trial.failure is None
        else {"kind": trial.failure.kind, "message": trial.failure.message},
        "output": None if trial is None else trial.output,
        "scores": [asdict(score) for score in scores],
    }
