"""Packets and tables of votes, out and in."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import orjson

from befit.cli.decide_view import person
from befit.cli.review_settings import read_settings, read_table
from befit.cli.review_view import now
from befit.cli.shell import OK, PARTIAL, Shell
from befit.cli.writing import writing
from befit.core.written import many
from befit.errors import DataError
from befit.pipeline.bringing_votes import origin_of, run_of_votes
from befit.review.concluding import named
from befit.review.desk import load_pool
from befit.review.elsewhere import bring_votes, read_told
from befit.review.exports import vote_rows, write_votes
from befit.review.packet import FORMAT, make_packet, take_packet
from befit.review.people import named_reviewer
from befit.review.rows import read_rows
from befit.review.states import find_study, unblind
from befit.storage.whole_file import write_whole

if TYPE_CHECKING:
    from befit.storage.workspace import Workspace

_WHOLE = 50_000_000


def write_packet(
    shell: Shell, workspace: Workspace, study: str, *, reviewer: str, out: Path, items: int
) -> int:
    """Write one reviewer's packet."""
    found = find_study(workspace.reviews, study)
    mine = named_reviewer(workspace.reviews, found.id, reviewer)
    page = make_packet(workspace.reviews, found.id, mine, items=items)
    with writing(out, "the packet"):
        write_whole(out, page)
    shell.say(f"wrote  {out}; what comes back: befit review import FILE")
    return shell.result({"file": str(out), "bytes": len(page.encode())})


def export_votes(shell: Shell, workspace: Workspace, study: str, *, out: Path) -> int:
    """Write all votes of a study."""
    found = find_study(workspace.reviews, study)
    rows = read_rows(workspace.reviews, found.id, load_pool(workspace.reviews, found.id))
    unblinded = found.state == "unblinded"
    if unblinded:
        _, mapping = unblind(workspace.reviews, found.id, at=now(), by=person())
        rows = named(rows, mapping)
    write_votes(out, vote_rows(rows, unblinded=unblinded))
    shell.say(
        f"wrote  {out} ({many(len(rows), 'vote')}{'' if unblinded else ', candidates left out'})"
    )
    return shell.result({"file": str(out), "votes": len(rows), "unblinded": unblinded})


def import_file(
    shell: Shell,
    workspace: Workspace,
    source: Path,
    *,
    settings: Path | None,
    run: str | None,
    replace: bool,
) -> int:
    """Take in what a packet or another tool has brought."""
    if source.suffix.lower() == ".json":
        returned = _read_json(source)
        if isinstance(returned, dict) and returned.get("format") == FORMAT:
            taken = take_packet(workspace.reviews, returned, replace=replace)
            shell.say(
                f"took   {many(taken.new, 'vote')} of {taken.reviewer}; {taken.known} known before"
            )
            for problem in taken.problems:
                shell.warn(problem)
            body = {"reviewer": taken.reviewer, "new": taken.new, "known": taken.known,
                    "problems": list(taken.problems)}  # fmt: skip
            return shell.result(body, code=PARTIAL if taken.problems else OK)
    rows = read_table(source)
    told = read_told([row for _, row in rows], file=str(source), lines=[line for line, _ in rows])
    if rows and len(told) < len(rows):
        shell.warn(f"rows left out, since they are no votes of the work: {len(rows) - len(told)}")
    manifest, told = run_of_votes(workspace, told, run_id=run)
    made = bring_votes(
        workspace.reviews,
        told,
        read_settings(settings),
        file=source.name,
        at=now(),
        by=person(),
        run=None if manifest is None else origin_of(workspace, manifest, told),
    )
    votes, pairs = many(len(told), "vote"), many(made.study.n_pairs, "pair")
    shell.data(f"study {made.study.id}: {votes} on {pairs}, closed")
    if manifest is None:
        shell.warn("no run here has all these candidates and samples: the votes reach no report "
                   "and no decision of a run; --run says which they are about")  # fmt: skip
    else:
        shell.say(f"run    {manifest.id}: they count in its report and decisions once unblinded, "
                  "marked as made elsewhere")  # fmt: skip
    shell.say(f"next   befit review unblind {made.study.id}")
    return shell.result({"study": made.study.id, "votes": len(told), "pairs": made.study.n_pairs,
                         "run": made.study.run_id})  # fmt: skip


def _read_json(path: Path) -> object:
    try:
        raw = path.read_bytes()
        if len(raw) > _WHOLE:
            raise DataError("the file is larger than 50 MB", where=str(path))
        return orjson.loads(raw)
    except OSError as error:
        raise DataError("cannot be read", where=str(path), why=error.strerror or "") from None
    except ValueError as error:
        raise DataError("this is no JSON", where=str(path), why=str(error)) from None
