"""How a run is watched: the question before spending, progress, and the summary after it."""

from __future__ import annotations

import json
import time
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from befit.cli.interrupts import stoppable, unfrozen
from befit.cli.spending import (
    capped_text,
    judges_text,
    raised,
    spent_data,
    spent_text,
    status_of,
)
from befit.cli.words import duration, money, money_span
from befit.core.written import many

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from befit.cli.shell import Shell
    from befit.config.project import Project
    from befit.core.run import Manifest, RunSettings
    from befit.engine.outcome import RunOutcome
    from befit.engine.plan import Plan
    from befit.engine.progress import Progress
    from befit.engine.stop import StopSignal
    from befit.pipeline.running import Ran
    from befit.storage.workspace import Workspace

ASK_ABOVE = 1.0
"""USD: above this upper bound a person at a terminal is asked first."""
EVERY = 10.0
"""Seconds between two lines of progress where there is no terminal."""


def announce(
    shell: Shell, project: Project, workspace: Workspace, *, settings: RunSettings
) -> Plan:
    """Say what the run will do and cost."""
    from befit.pipeline.planning import plan_project  # noqa: PLC0415 - lazy verb

    made = plan_project(project, workspace, settings=settings)
    plan = made.plan
    for warning in made.warnings:
        if warning not in shell.warnings:
            shell.warn(warning)
    unpriced = f", unknown for {', '.join(plan.unpriced)}" if plan.unpriced else ""
    shell.say(
        f"plan  {many(plan.n_slots, 'trial')}, {plan.n_stored:,} stored, "
        f"{many(plan.n_calls, 'call')}, "
        f"cost {money_span(plan.cost)}{unpriced}"
    )
    return plan


def agreed(shell: Shell, plan: Plan, settings: RunSettings) -> bool:
    """Ask before much is spent, where somebody sits at a terminal; False: a no."""
    high = None if plan.cost is None else plan.cost.high
    cheap = plan.cost is None or (high is not None and high <= ASK_ABOVE)
    capped = settings.max_cost is not None
    if cheap or capped or not shell.interactive or not plan.n_calls:
        return True
    shell.err.write(f"Spend up to {money(high)}? [y/N] ")
    shell.err.flush()
    return input().strip().lower() in {"y", "yes"}


def run_with_progress(
    shell: Shell, project: Project, workspace: Workspace, *, settings: RunSettings, plan: Plan
) -> Ran:
    """Run the project as planned, with progress on stderr; Ctrl-C once ends what is in flight."""
    from befit.pipeline.running import run_project  # noqa: PLC0415 - lazy verb

    with watched(shell, settings, project, plan=plan) as (watch, stop):
        return run_project(project, workspace, settings=settings, progress=watch, stop=stop)


@contextmanager
def watched(
    shell: Shell, settings: RunSettings, project: Project, *, plan: Plan
) -> Iterator[tuple[Callable[[Progress], None] | None, StopSignal]]:
    """Give progress and a stop signal that Ctrl-C sets."""
    watch = _watch(shell, settings, priced=not plan.unpriced)
    with stoppable(shell) as stop:
        if not _has_own_code(project):
            yield watch, stop
            return
        with unfrozen(watch) as guarded:
            yield guarded, stop


def _has_own_code(project: Project) -> bool:
    """Tell whether functions of the user's own score, as far as the project file says it."""
    return any(
        spec.name == "python"
        for scenario in project.scenarios
        for spec in (*scenario.spec.scorers, *scenario.spec.every_turn)
    )


def _watch(
    shell: Shell, settings: RunSettings, *, priced: bool
) -> Callable[[Progress], None] | None:
    if shell.ndjson:
        return lambda progress: print(
            json.dumps({"schema": "befit/progress/1", **asdict(progress)}, default=str),
            file=shell.err,
            flush=True,
        )
    if shell.quiet:
        return None
    live = shell.err.isatty() and not shell.as_json
    state = {"last": time.monotonic()}

    def show(progress: Progress) -> None:
        line = progress_line(progress, max_cost=settings.max_cost, priced=priced)
        if live:
            shell.err.write(f"\r\x1b[2K{line}" + ("\n" if progress.finished else ""))
            shell.err.flush()
        elif progress.finished or time.monotonic() - state["last"] >= EVERY:
            state["last"] = time.monotonic()
            shell.say(line)

    return show


def progress_line(progress: Progress, *, max_cost: float | None, priced: bool = True) -> str:
    """Return one line: done, rate, time left, failures, money; `priced`: every price is known."""
    total = "?" if progress.total is None else f"{progress.total:,}"
    parts = [f"{progress.done:,}/{total}"]
    if progress.rate is not None:
        parts.append(f"{progress.rate:.1f}/s")
    if progress.eta is not None and not progress.finished:
        parts.append(f"ETA {duration(progress.eta)}")
    counts = (
        ("reused", progress.reused),
        ("retries", progress.retries),
        ("refused or cut", progress.candidate_failures),
        ("missing", progress.missing),
        ("not run", progress.not_run),
    )
    parts += [f"{name} {number:,}" for name, number in counts if number]
    if progress.first_token_p50 is not None:
        parts.append(f"TTFT p50 {duration(progress.first_token_p50)}")
    spent = spent_text(
        progress.spent, unknown=progress.unknown, priced=priced, uncertain=progress.uncertain
    )
    if progress.reserved:
        spent += f" (+{money(float(progress.reserved))} reserved)"
    if max_cost is not None:
        spent += f" of {money(max_cost)} cap"
    return "  ".join([*parts, spent])


def _say_judges(shell: Shell, ran: Ran) -> None:
    """Say how the judges' sitting went, and which questions failed: they have no verdict."""
    text, outcome = judges_text(ran), None if ran.judging is None else ran.judging.outcome
    if text is None or outcome is None:
        return
    shell.say(text)
    if outcome.status == "capped":
        shell.say(f"judges: {capped_text(outcome)}")
    if not (outcome.missing or outcome.stopped):
        return
    for stopped in outcome.stopped:
        shell.warn(f"judge {stopped.candidate}: {stopped.cause.kind}: {stopped.cause.message}")
    kinds = ", ".join(f"{kind} {count}" for kind, count in sorted(outcome.failures.items()))
    shell.warn(
        f"{outcome.missing} questions to judges failed ({kinds}): their trials have no verdict"
    )


def _say_prices(shell: Shell, ran: Ran) -> None:
    """Say whose price in the project is no longer the one that the run bills."""
    if ran.changed_prices:
        shell.warn(
            f"the price of {', '.join(ran.changed_prices)} has changed since: the run keeps what "
            "was billed; befit reprice shows the new price"
        )


def summary(shell: Shell, ran: Ran, *, project: Path, resume: str = "befit run") -> dict[str, Any]:
    """Say how the run ended and what to do next; return it as JSON values.

    `resume` is the command that goes on where this one stopped, with all its options.
    """
    manifest, outcome, status = ran.manifest, ran.outcome, status_of(ran)
    resume = _going_on(ran, resume)
    _say_prices(shell, ran)
    if outcome is None:
        return _only_judged(shell, ran, project=project, resume=resume)
    for stopped in outcome.stopped:
        shell.say(
            f"stopped  {stopped.candidate}: {stopped.cause.kind}: {stopped.cause.message} "
            f"({many(stopped.not_run, 'trial')} not run)"
        )
    for kind, number in sorted(outcome.failures.items()):
        shell.say(f"failed   {kind}: {number}")
    spent = _spent(manifest, outcome)
    if outcome.already:
        # The counts are of this sitting, the money is of the run.
        spent = f"{outcome.already:,} stored before, {spent} in all sittings,"
    shell.say(
        f"{manifest.id} {outcome.status}: {outcome.ok:,} answered, "
        f"{outcome.candidate_failures:,} failed by the candidate, {outcome.missing:,} missing, "
        f"{outcome.reused:,} reused, {spent} in {duration(outcome.seconds)}"
    )
    _say_judges(shell, ran)
    for warning in outcome.warnings:
        shell.warn(warning)
    if outcome.unscored:
        shell.say(
            f"{outcome.unscored:,} answers are stored and not scored yet; the same command (or "
            f"befit score {manifest.id}) scores them"
        )
    if outcome.status == "capped":
        shell.say(capped_text(outcome))
    _say_next(shell, ran, project=project, resume=resume)
    return {
        "run": manifest.id,
        "status": status,
        "resumed": ran.resumed,
        "ok": outcome.ok,
        "candidate_failures": outcome.candidate_failures,
        "missing": outcome.missing,
        "reused": outcome.reused,
        "already": outcome.already,
        "not_run": outcome.not_run,
        "unscored": outcome.unscored,
        "resume": resume if status != "complete" else None,
        "retries": outcome.retries,
        **spent_data(ran),
        "failures": dict(outcome.failures),
        "stopped": [
            {"candidate": s.candidate, "cause": s.cause.kind, "message": s.cause.message}
            for s in outcome.stopped
        ],
        "seconds": outcome.seconds,
    }


def _going_on(ran: Ran, resume: str) -> str:
    """Return the command that goes on: with a higher cap where one has stopped run or judges."""
    judged = None if ran.judging is None else ran.judging.outcome
    for one in (ran.outcome, judged):
        if one is not None and one.status == "capped":
            return raised(resume, one)
    return resume


def _only_judged(shell: Shell, ran: Ran, *, project: Path, resume: str) -> dict[str, Any]:
    """Say how a sitting ended in which no candidate was asked anything."""
    manifest, status = ran.manifest, status_of(ran)
    asked = ran.judging is not None and ran.judging.outcome is not None
    what = "only its judges were asked" if asked else "nothing was called"
    shell.say(f"{manifest.id} holds every trial of this plan already; {what}")
    _say_judges(shell, ran)
    _say_next(shell, ran, project=project, resume=resume)
    told = {"resume": resume if status != "complete" else None} if asked else {"calls": 0}
    return {"run": manifest.id, "status": status, **told, **spent_data(ran)}


def _say_next(shell: Shell, ran: Ran, *, project: Path, resume: str) -> None:
    """Say the next command, and the one that goes on where this one stopped."""
    if status_of(ran) != "complete":
        shell.say(f"resume  {resume}")
    shell.say(f"next  befit report {ran.manifest.id}{_option(project)}")


def _spent(manifest: Manifest, outcome: RunOutcome) -> str:
    priced = all(one.price is not None for one in manifest.candidates)
    return spent_text(
        outcome.spent, unknown=outcome.unknown, priced=priced, uncertain=outcome.uncertain
    )


def _option(project: Path) -> str:
    return "" if project == Path() else f" --project {project}"
