"""`befit run --until-decided`: run, decide, record, and say what stopping early saved."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from befit.cli import shell as codes
from befit.cli.decide_view import OUTCOME_CODES, data, person, show_decision
from befit.cli.run_view import watched
from befit.cli.spending import capped_text, raised

if TYPE_CHECKING:
    from befit.cli.shell import Shell
    from befit.config.project import Project
    from befit.core.run import RunSettings
    from befit.engine.plan import Plan
    from befit.storage.workspace import Workspace


def until_decided_and_show(
    shell: Shell,
    loaded: Project,
    workspace: Workspace,
    *,
    settings: RunSettings,
    plan: Plan,
    resume: str,
) -> int:
    """Run until the decision stands; the exit code is that of the decision, or of the end."""
    from befit.pipeline.deciding import keep_decision  # noqa: PLC0415 - lazy verb
    from befit.pipeline.until_decided import run_until_decided  # noqa: PLC0415 - lazy verb

    with watched(shell, settings, loaded, plan=plan) as (watch, stop):
        ran = run_until_decided(
            loaded,
            workspace,
            settings=settings,
            progress=watch if shell.ndjson else None,
            stop=stop,
            say=shell.say,
        )
    shell.say(ran.stopped.text)
    if ran.interrupted or ran.stopped.reason == "cap":
        if ran.capped is not None:
            resume = raised(resume, ran.capped)
            shell.say(capped_text(ran.capped))
        shell.say(f"resume  {resume}")
    if ran.interrupted:
        left = {"run": ran.manifest.id, "status": "interrupted", "resume": resume}
        return shell.result(left, code=codes.INTERRUPTED)
    decision, kept = keep_decision(workspace, ran.decision, by=person(), now=datetime.now(tz=UTC))
    show_decision(shell, decision, record=kept.id)
    capped = ran.stopped.reason == "cap"
    code = codes.CAPPED if capped else OUTCOME_CODES[decision.outcome]
    return shell.result({"run": ran.manifest.id, "record": kept.id, **data(decision)}, code=code)
