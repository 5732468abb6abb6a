"""Where a report goes: the terminal, or a file in the form asked for."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from befit.cli.report_view import show_report
from befit.cli.writing import writing
from befit.core.written import many
from befit.errors import UsageError

if TYPE_CHECKING:
    from befit.cli.shell import Shell
    from befit.report.document import Document

LARGE = 10_000_000
"""Bytes from which an HTML report is warned of."""


def write_report(
    shell: Shell, document: Document, *, form: str, out: Path | None, full: bool
) -> int:
    """Write the report in one form; JSON mode prints the JSON form in the envelope.

    Raises:
        UsageError: the folder of `out` cannot be written. One folder is made; where more are
            missing, the path is rather a slip.
    """
    if out is not None and not out.parent.is_dir() and not out.parent.parent.is_dir():
        raise UsageError(f"there is no folder '{out.parent.parent}'", where=f"--out {out}")
    from befit.report.json import to_json  # noqa: PLC0415 - lazy form

    if form == "text" and out is None:
        if not shell.as_json:
            show_report(shell, document)
        return shell.result(to_json(document))
    if form == "csv":
        return _write_tables(shell, document, out or Path(f"report-{document.provenance.run_id}"))
    text = _render(document, form=form, full=full)
    if out is None and form != "html":
        if not shell.as_json:
            shell.out.write(text)
        return shell.result(to_json(document))
    path = out or Path(f"report-{document.provenance.run_id}.html")
    from befit.storage.whole_file import write_whole  # noqa: PLC0415 - lazy form

    with writing(path, "the report"):
        write_whole(path, text, errors="backslashreplace")
    size = path.stat().st_size
    if size > LARGE:
        shell.warn(f"{path} has {size / 1e6:.0f} MB; leave --full out for a smaller one")
    shell.say(f"report  {path}")
    return shell.result({"file": str(path), "bytes": size})


def _write_tables(shell: Shell, document: Document, folder: Path) -> int:
    """Write one CSV file per table into a folder."""
    from befit.report.csv import tables  # noqa: PLC0415 - lazy form
    from befit.storage.whole_file import write_whole  # noqa: PLC0415 - lazy form

    with writing(folder, "the tables", do="choose another folder with --out"):
        folder.mkdir(exist_ok=True)
        for name, text in (made := tables(document)).items():
            write_whole(folder / name, text, errors="backslashreplace")
    shell.say(f"tables  {folder} ({many(len(made), 'file')})")
    return shell.result({"folder": str(folder), "files": sorted(made)})


def _render(document: Document, *, form: str, full: bool) -> str:
    if form == "html":
        from befit.report.html import render as html  # noqa: PLC0415 - lazy form

        return html(document, full=full)
    if form == "json":
        from befit.report.json import to_json  # noqa: PLC0415 - lazy form

        return json.dumps(to_json(document), indent=1) + "\n"
    from befit.report.markdown import render as markdown  # noqa: PLC0415 - lazy form

    return markdown(document)
