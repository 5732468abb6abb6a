"""`befit screen`: public benchmarks as a threshold, not a ranking."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from befit.cli.common import HERE, JsonOption, ProjectOption, open_workspace, perform, read_project
from befit.cli.shell import Shell
from befit.cli.writing import writing
from befit.core.written import in_percent

if TYPE_CHECKING:
    from befit.config.project import Project
    from befit.core.screening import Evidence, Screening, ScreeningSettings


def register(app: typer.Typer) -> None:
    """Add this file's verb."""
    app.command()(screen)


def screen(  # noqa: PLR0913 - what changes from call to call; the rest is in the file
    ctx: typer.Context,
    tables: Annotated[
        list[Path] | None, typer.Argument(help="Tables, logs, folders of logs.")
    ] = None,
    *,
    project: ProjectOption = HERE,
    cut_off: Annotated[
        list[str] | None, typer.Option("--cut-off", help="BENCHMARK=70, or 70:2 with a margin.")
    ] = None,
    using: Annotated[Path | None, typer.Option(help="YAML with cut-offs, scales, weights.")] = None,
    items: Annotated[
        str, typer.Option(help="Results per item on perturbed versions: FILE or run:ID.")
    ] = "",
    cut_date: Annotated[
        list[str] | None,
        typer.Option("--cut-date", help="MODEL=2024-06-30: where its training data ends."),
    ] = None,
    write: Annotated[
        bool, typer.Option("--write", help="Add the survivors to befit.yaml.")
    ] = False,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="Write an HTML page.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Screen models by public benchmarks: cleared, excluded, or cannot tell."""

    def verb(shell: Shell) -> int:
        from datetime import UTC, datetime  # noqa: PLC0415 - lazy verb

        from befit.cli.screen_settings import settings_of  # noqa: PLC0415 - lazy verb
        from befit.pipeline.screening import needs, own_overlaps, screen_tables  # noqa: PLC0415

        loaded = _project(project, shell)
        settings, folder = settings_of(
            loaded, using=using, cut_offs=cut_off or (), cut_dates=cut_date or ()
        )
        paths = list(tables or ()) or [folder / table for table in settings.tables]
        found = screen_tables(
            paths,
            settings,
            made_on=datetime.now(tz=UTC).isoformat(timespec="seconds"),
            needed=None if loaded is None else needs(loaded),
            contamination=_contamination(items, project, settings, shell),
        )
        for overlap in own_overlaps(loaded) if loaded is not None else ():
            shell.warn(
                f"{overlap.item} stands in {overlap.text}"
                f" ({in_percent(overlap.coverage)} % of its words in shared 8-grams)"
            )
        _show(shell, found, out=out)
        if write:
            _write(shell, found, settings, project=project, paths=paths)
        return shell.result(found.model_dump(mode="json"))

    perform(ctx, verb, as_json=as_json)


def _project(path: Path, shell: Shell) -> Project | None:
    """Return the project, where there is one: a table can be screened without."""
    file = path / "befit.yaml" if path.is_dir() else path
    if not file.is_file() and path == HERE:
        return None
    return read_project(path, shell, keys_needed=False)


def _contamination(
    items: str, project: Path, settings: ScreeningSettings, shell: Shell
) -> tuple[Evidence, ...]:
    if not items:
        return ()
    from befit.interop.item_versions import read_item_versions  # noqa: PLC0415 - lazy verb
    from befit.pipeline.guiding import run_flags  # noqa: PLC0415 - lazy verb
    from befit.pipeline.screening import item_evidence, run_versions  # noqa: PLC0415 - lazy verb

    kind, found, run_id = items.partition("run:")
    if found and not kind:
        with open_workspace(project, shell=shell) as workspace:
            run_id = workspace.find_run(run_id).id
            versions = run_versions(workspace, run_id)
            flags = run_flags(workspace, run_id)
    else:
        versions, flags = read_item_versions(Path(items)), {}
    for model in settings.cut_dates:
        if model not in versions.models:
            shell.warn(f"'{model}' has a cut date and no results per item")
    return item_evidence(versions, cut_dates=settings.cut_dates, flags=flags)


def _show(shell: Shell, found: Screening, *, out: Path | None) -> None:
    from befit.cli.screen_view import show_screening  # noqa: PLC0415 - lazy verb

    if not shell.as_json:
        show_screening(shell, found)
    if out is None:
        return
    from befit.report.html import render_screening  # noqa: PLC0415 - lazy verb
    from befit.storage.whole_file import write_whole  # noqa: PLC0415 - lazy verb

    with writing(out, "the page"):
        write_whole(out, render_screening(found), errors="backslashreplace")
    shell.say(f"page    {out}")


def _write(
    shell: Shell,
    found: Screening,
    settings: ScreeningSettings,
    *,
    project: Path,
    paths: list[Path],
) -> None:
    from befit.pipeline.survivors import write_survivors  # noqa: PLC0415 - lazy verb

    written = write_survivors(project, found, settings, tables=paths)
    added = ", ".join(written.added) or "nobody new"
    shell.say(f"wrote   {written.path}: {added} added")
    if written.there:
        shell.say(f"        there already: {', '.join(written.there)}")
    if written.section:
        shell.say("        with the section 'screening', so that reports show the verdicts")
