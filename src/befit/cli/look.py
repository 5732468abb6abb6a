"""Verbs that look at results: runs, show, report, compare, export."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from befit.cli.common import HERE, JsonOption, ProjectOption, RunArgument, open_workspace, perform
from befit.cli.shell import Shell
from befit.core.written import many
from befit.errors import UsageError

if TYPE_CHECKING:
    from befit.pipeline.comparing import Compared

Form = Literal["text", "html", "markdown", "json", "csv"]


def register(app: typer.Typer) -> None:
    """Add this file's verbs."""
    app.command()(runs)
    app.command()(show)
    app.command()(report)
    app.command()(compare)
    app.command()(export)


def runs(
    ctx: typer.Context,
    *,
    project: ProjectOption = HERE,
    candidate: Annotated[str, typer.Option(help="Only runs with this name or fingerprint.")] = "",
    as_json: JsonOption = False,
) -> None:
    """List the runs of this workspace, newest first."""

    def verb(shell: Shell) -> int:
        from befit.cli.words import show_table  # noqa: PLC0415 - lazy verb
        from befit.pipeline.readiness import standing  # noqa: PLC0415 - lazy verb

        with open_workspace(project, shell=shell) as workspace:
            found = [
                (manifest, standing(workspace, manifest, status))
                for manifest, status in workspace.runs()
                if not candidate
                or any(
                    c.candidate.name == candidate or c.fingerprint.startswith(candidate)
                    for c in manifest.candidates
                )
            ]
        rows = [
            [
                manifest.id,
                status,
                manifest.created_at,
                manifest.label or "",
                str(len(manifest.candidates)),
                str(len(manifest.scenarios)),
                str(sum(s.n_samples for s in manifest.scenarios)),
            ]
            for manifest, status in found
        ]
        header = ["run", "status", "created", "label", "candidates", "scenarios", "samples"]
        if not shell.as_json:
            show_table(shell, header, rows, numeric=(4, 5, 6), least=(3, 5, 6, 4))
        return shell.result(
            [
                {
                    "run": manifest.id,
                    "status": status,
                    "created_at": manifest.created_at,
                    "label": manifest.label,
                    "candidates": {c.candidate.name: c.fingerprint for c in manifest.candidates},
                    "scenarios": {s.spec.name: s.set_version for s in manifest.scenarios},
                    "amendments": [one.model_dump(mode="json") for one in manifest.amendments],
                }
                for manifest, status in found
            ]
        )

    perform(ctx, verb, as_json=as_json)


def show(  # noqa: PLR0913 - a trial has that many coordinates
    ctx: typer.Context,
    sample: Annotated[
        str, typer.Argument(help="Sample id; without one the failed trials are listed.")
    ] = "",
    run_id: RunArgument = "latest",
    *,
    project: ProjectOption = HERE,
    scenario: Annotated[str, typer.Option(help="Where several have a sample of this id.")] = "",
    candidate: Annotated[str, typer.Option(help="Only this candidate.")] = "",
    raw: Annotated[
        bool, typer.Option("--raw", help="The request and the untouched output.")
    ] = False,
    limit: Annotated[int, typer.Option(min=1, help="Failed trials listed at most.")] = 50,
    every: Annotated[bool, typer.Option("--all", help="List every failed trial.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Show every answer to one sample and how it was judged, or list what failed."""

    def verb(shell: Shell) -> int:
        from befit.cli.show_view import show_failing, show_sample  # noqa: PLC0415 - lazy verb

        with open_workspace(project, shell=shell) as workspace:
            manifest = workspace.find_run(run_id)
            if not sample:
                only = (scenario, candidate)
                most = None if every else limit
                return shell.result(show_failing(shell, workspace, manifest, only=only, limit=most))
            found = show_sample(
                shell,
                workspace,
                manifest,
                sample=sample,
                only=(scenario, candidate),
                raw=raw,
            )
        return shell.result(found)

    perform(ctx, verb, as_json=as_json)


def report(
    ctx: typer.Context,
    run_id: RunArgument = "latest",
    *,
    project: ProjectOption = HERE,
    form: Annotated[Form, typer.Option("--format", "-f", help="Form of the report.")] = "text",
    out: Annotated[Path | None, typer.Option("--out", "-o", help="Write here.")] = None,
    full: Annotated[bool, typer.Option("--full", help="Outputs whole, not cut.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Report a run: terminal, HTML (one file), Markdown, JSON, or a folder of CSV tables."""

    def verb(shell: Shell) -> int:
        from befit.engine.collecting import fewer_collections  # noqa: PLC0415 - lazy verb

        with fewer_collections():
            from befit.cli.report_out import write_report  # noqa: PLC0415 - lazy verb
            from befit.config.load import load_policy  # noqa: PLC0415 - lazy verb
            from befit.pipeline.reporting import make_document  # noqa: PLC0415 - lazy verb

            with open_workspace(project, shell=shell) as workspace:
                document = make_document(
                    workspace,
                    workspace.find_run(run_id).id,
                    full=full,
                    policy=load_policy(project),
                )
            return write_report(shell, document, form=form, out=out, full=full)

    perform(ctx, verb, as_json=as_json)


def compare(
    ctx: typer.Context,
    a: Annotated[str, typer.Argument(help="CANDIDATE or RUN:CANDIDATE.")],
    b: Annotated[str, typer.Argument(help="CANDIDATE or RUN:CANDIDATE.")],
    *,
    project: ProjectOption = HERE,
    allow: Annotated[
        list[str] | None,
        typer.Option(help="Compare although these differ: scorers, targets.", show_default=False),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Compare two candidates on the samples both answered, and say what differs between them."""

    def verb(shell: Shell) -> int:
        from dataclasses import asdict  # noqa: PLC0415 - lazy verb

        from befit.pipeline.comparing import compare_candidates  # noqa: PLC0415 - lazy verb

        with open_workspace(project, shell=shell) as workspace:
            sides = [_side(one) for one in (a, b)]
            ids = [workspace.find_run(run_id).id for run_id, _ in sides]
            made = compare_candidates(
                workspace,
                run_a=ids[0],
                run_b=ids[1],
                a=sides[0][1],
                b=sides[1][1],
                allow=frozenset(allow or ()),
            )
        _show_comparison(shell, made)
        return shell.result(asdict(made))

    perform(ctx, verb, as_json=as_json)


def _side(words: str) -> tuple[str, str]:
    run_id, found, candidate = words.partition(":")
    return (run_id, candidate) if found else ("latest", words)


def _show_comparison(shell: Shell, made: Compared) -> None:
    from befit.cli.words import show_note, show_table  # noqa: PLC0415 - lazy verb
    from befit.report.numbers import p_text, points  # noqa: PLC0415 - lazy verb
    from befit.report.open_pairs import explained, open_reason  # noqa: PLC0415 - lazy verb

    if shell.as_json:
        return
    rows = [[c.part, c.key, c.a, c.b] for c in made.differs]
    if rows:
        show_table(shell, ["what", "key", made.a, made.b], rows, title="What differs")
    else:
        shell.data("What differs: nothing that can change an answer")
    if made.confounded:
        shell.data(
            "Confounded: different models under different templates; the difference below is of "
            "neither alone."
        )
    for note in made.notes:
        shell.warn(note)
    shell.data("")
    reasons = [
        open_reason(line.difference, p_value=line.p_value, p_adjusted=line.p_adjusted)
        for line in made.lines
    ]
    lines = [
        [
            line.scenario,
            line.metric_title,
            points(line.difference),
            str(line.difference.n_samples),
            "—" if line.p_adjusted is None else p_text(line.p_adjusted),
            f"{line.verdict} ({why})" if why else line.verdict,
        ]
        for line, why in zip(made.lines, reasons, strict=True)
    ]
    several = len(made.lines) > 1
    p = "p (Holm, all lines)" if several else "p"
    header = ["scenario", "metric", f"{made.a} - {made.b}, points", "pairs", p, "verdict"]
    show_table(shell, header, lines, title="Paired differences", numeric=(2, 3, 4), least=(4, 3))
    if several:
        show_note(
            shell,
            f"p: corrected for all {len(made.lines)} lines of this table (Holm); a report corrects "
            "for the pairs of a row, so there p of the same pair may be another",
        )
    for words in explained(reasons):
        show_note(shell, words)


def export(
    ctx: typer.Context,
    run_id: RunArgument = "latest",
    *,
    project: ProjectOption = HERE,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", "-o", help="JSONL file (trials.jsonl), - for stdout; a folder (recorded)."
        ),
    ] = None,
    replay: Annotated[
        bool, typer.Option("--replay", help="Recorded answers, a file per candidate.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Write every trial of a run with request, untouched output and scores, one JSON per line."""

    def verb(shell: Shell) -> int:
        from befit.pipeline.exporting import export_trials  # noqa: PLC0415 - lazy verb

        if replay:
            return _export_replay(shell, project, run_id, out or Path("recorded"))
        path = out or Path("trials.jsonl")
        if path == Path("-"):
            return _export_here(shell, project, run_id)
        with open_workspace(project, shell=shell) as workspace:
            count = export_trials(workspace, workspace.find_run(run_id).id, path)
        shell.say(f"{many(count, 'trial')} written to {path}")
        return shell.result({"trials": count, "file": str(path)})

    perform(ctx, verb, as_json=as_json)


def _export_here(shell: Shell, project: Path, run_id: str) -> int:
    """Write the trials to standard output, whole or not at all."""
    from shutil import copyfileobj  # noqa: PLC0415 - lazy verb
    from tempfile import TemporaryDirectory  # noqa: PLC0415 - lazy verb

    from befit.pipeline.exporting import export_trials  # noqa: PLC0415 - lazy verb

    if shell.as_json:
        raise UsageError("the trials and --json cannot both go to standard output", do="drop one")
    with open_workspace(project, shell=shell) as workspace, TemporaryDirectory() as folder:
        path = Path(folder) / "trials.jsonl"
        count = export_trials(workspace, workspace.find_run(run_id).id, path)
        with path.open(encoding="utf-8") as trials:
            copyfileobj(trials, shell.out)
    shell.say(f"{many(count, 'trial')} written")
    return 0


def _export_replay(shell: Shell, project: Path, run_id: str, folder: Path) -> int:
    """Write what the `replay` target answers from."""
    from befit.pipeline.replaying import export_replay  # noqa: PLC0415 - lazy verb

    with open_workspace(project, shell=shell) as workspace:
        counts = export_replay(workspace, workspace.find_run(run_id).id, folder)
    for name, count in counts.items():
        shell.say(f"{name}: {many(count, 'answer')} written")
    shell.say(f"use them with: target: replay, options: {{path: {folder}/NAME.jsonl}}")
    return shell.result({"folder": str(folder), "answers": counts})
