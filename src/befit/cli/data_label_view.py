"""`befit data label`: the page, the spreadsheet, and what is said of both."""

from __future__ import annotations

import asyncio
from pathlib import Path

from befit.cli.shell import OK, Shell
from befit.core.written import many
from befit.datasets.label_files import export_labels
from befit.errors import UsageError
from befit.pipeline.data_label import (
    LabelState,
    apply_labels,
    label_state,
    live,
    serve_labels,
    take_labels,
)
from befit.pipeline.data_sets import SetFile
from befit.storage.workspace import Workspace
from befit.web.serve import LOCAL


def run_label(
    shell: Shell,
    workspace: Workspace,
    held: SetFile,
    *,
    files: tuple[Path | None, Path | None, str],
    apply: int | None,
    page: tuple[int, bool],
) -> int:
    """Do what was asked for; with nothing else, serve the page until it is interrupted."""
    out, source, name = files
    port, state_only = page
    if apply is not None and apply < 1:
        raise UsageError(f"--apply is {apply}", do="it must be at least 1: labellers who agree")
    if out is not None:
        count, cut = export_labels(out, live(held))
        shell.say(f"wrote  {out} ({many(count, 'sample')})")
        if cut:
            shell.warn(
                f"a spreadsheet cuts cells behind 32,767 characters: {many(cut, 'row')} of the file"
            )
        return shell.result({"file": str(out), "samples": count, "cut_in_spreadsheets": cut})
    if source is not None:
        count = take_labels(workspace, held, source, labeller=name)
        shell.say(f"took   {many(count, 'label')} of {name}")
        if apply is None:
            return shell.result({"labels": count, "labeller": name})
    if apply is not None:
        changed, left = apply_labels(workspace, held, need=apply)
        shell.say(
            f"wrote  {many(changed, 'label')} into {held.path}; {many(left, 'sample')} unlabelled"
        )
        return shell.result({"changed": changed, "unlabelled": left})
    if not state_only:
        _serve(shell, workspace, held, port)
    state = label_state(workspace, held)
    _show(shell, state)
    return shell.result(
        {
            "samples": state.samples,
            "labelled": state.labelled,
            "by_labeller": state.by_labeller,
            "agreed": state.agreed,
            "disputed": state.disputed,
            "alpha": state.agreement.alpha.to_dict(),
        },
        code=OK,
    )


def _serve(shell: Shell, workspace: Workspace, held: SetFile, port: int) -> None:
    def ready(links: dict[str, str]) -> None:
        for role, link in links.items():
            shell.say(f"{role:<12} {link}")
        shell.say("every label is stored when it is sent; Ctrl-C ends the page")

    try:
        asyncio.run(serve_labels(workspace, held, host=LOCAL, port=port, ready=ready))
    except KeyboardInterrupt:
        shell.say("")


def _show(shell: Shell, state: LabelState) -> None:
    shell.data(f"samples    {state.samples}, {state.labelled} with target or check in the file")
    for name, count in state.by_labeller.items():
        shell.data(f"labels     {name} {count}")
    shell.data(f"agreed     {state.agreed}; to be decided {state.disputed}")
    made = state.agreement
    if made.both:
        shell.data(f"agreement  {made.same} of {made.both} the same; alpha {made.alpha}")
