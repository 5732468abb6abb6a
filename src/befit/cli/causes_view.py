"""`befit causes`: the calls first, then what was found, in sentences and two tables."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from befit.analysis.causes import says
from befit.analysis.load_result import as_json
from befit.charts.numbers import estimate_text
from befit.cli.common import open_beside, open_workspace, read_project
from befit.cli.words import show_table
from befit.pipeline.causes import CausesPlan, look_for_causes
from befit.pipeline.measured import causes_kept, keep_causes

if TYPE_CHECKING:
    from befit.analysis.causes_result import Beginning, Causes
    from befit.cli.shell import Shell

FOLDER = "causes"
LENGTHS = (250, 500, 1000, 2000, 4000, 8000, 16_000, 32_000, 64_000, 128_000)


def act(
    shell: Shell,
    project: Path,
    *,
    on: str,
    samples: int,
    together: int,
    longest: int,
    anew: bool,
) -> int:
    """Look, show, keep; return the exit code."""
    loaded = read_project(project, shell, keys_needed=True)
    candidate, _, scenario = on.partition("/")
    plan = CausesPlan(
        candidate=candidate,
        scenario=scenario,
        samples=samples,
        together=together,
        lengths=_lengths(longest),
    )
    shell.say(f"calls  at most {plan.calls(samples)}; the spend cap of the project holds over all")
    with open_workspace(project, must_exist=False) as workspace:
        with open_beside(workspace, FOLDER) as own:
            found = look_for_causes(
                loaded,
                plan,
                own,
                say=lambda what: shell.say(f"measuring  {what}"),
                kept=causes_kept(workspace),
                anew=anew,
            )
        _show(shell, found)
        shell.say(f"kept  {keep_causes(workspace, found).id}; the report shows it")
    return shell.result({**as_json(found), "says": list(says(found))})


def _lengths(longest: int) -> tuple[int, ...]:
    """Return lengths that double up to the longest; two short ones at least, to count from."""
    if not longest:
        return ()
    below = [length for length in LENGTHS if length < longest]
    return (*(below[-4:] or (max(1, longest // 2),)), longest)


def _billed(one: Beginning) -> str:
    if one.refused:
        return f"{one.refused} refused"
    return "not told" if one.billed is None else f"{one.billed:.0f}"


def _show(shell: Shell, found: Causes) -> None:
    for line in says(found):
        shell.data(line)
    if shell.as_json:
        return
    rows = [
        [
            f"{one.other} / {one.base}",
            estimate_text(one.difference, "points"),
            estimate_text(one.length, "number"),
            estimate_text(one.changed, "percent"),
            estimate_text(one.changed_anyway, "percent"),
        ]
        for one in found.contrasts
    ]
    header = ["varied", "passes, paired", "length", "answers changed", "by themselves"]
    show_table(shell, header, rows, numeric=(1, 2, 3, 4))
    if found.beginnings:
        rows = [
            [
                str(one.tokens),
                estimate_text(one.named, "percent"),
                _billed(one),
                "not counted" if one.counted is None else f"{one.counted:.0f}",
            ]
            for one in found.beginnings
        ]
        show_table(
            shell, ["tokens", "beginning known", "billed", "sent"], rows, numeric=(0, 1, 2, 3)
        )
