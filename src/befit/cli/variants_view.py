"""`befit variants`: shows each wording with what speaks against it, and asks a person."""

from __future__ import annotations

import re
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from befit.cli.common import open_beside, open_workspace, read_project
from befit.cli.words import money
from befit.pipeline.rewording import check_names, freeze, propose

if TYPE_CHECKING:
    from befit.cli.shell import Shell
    from befit.pipeline.rewording import Proposal, Proposals

FOLDER = "variants"
SHOWN = 500
"""Characters that are shown of a wording with doubts."""
_UNFIT = re.compile(r"[^\w.-]+")
"""What no name of a file should hold."""


def act(
    shell: Shell,
    project: Path,
    *,
    scenario: str,
    by: str,
    n: int,
    names: list[str],
) -> int:
    """Ask, check, show, freeze; return the exit code."""
    check_names(names, n=n)
    loaded = read_project(project, shell, keys_needed=True)
    with (
        open_workspace(project, must_exist=False) as workspace,
        open_beside(workspace, FOLDER) as own,
    ):
        found = propose(loaded, own, scenario=scenario, by=by, n=n)
    if found.cost:
        shell.say(f"cost  {money(found.cost)}")
    for one in found.found:
        _show(shell, one)
    if not names and shell.interactive:
        names = [one.name for one in found.found if one.sound and _yes(shell, found, one)]
    if not names:
        sound = [one.name for one in found.found if one.sound]
        do = " ".join(f"--confirm {name}" for name in sound)
        shell.say(
            f"nothing is frozen; read them, then add {do}" if sound else "none asks for the same"
        )
        return shell.result(_data(found, [], None))
    file = loaded.folder / FOLDER / f"{_UNFIT.sub('-', scenario)}.yaml"
    made = freeze(found, names, file)
    short = f"{FOLDER}/{file.name}"
    shell.say(f"frozen  {len(made)} in {file}; under the scenario: variants: [{{file: {short}}}]")
    return shell.result(_data(found, names, file))


def _show(shell: Shell, one: Proposal) -> None:
    shell.data(f"{'✓' if one.sound else '✕'} {one.name}")
    cut = not one.sound and len(one.template) > SHOWN
    shown = one.template[:SHOWN] + " ..." if cut else one.template
    for line in shown.splitlines():
        shell.data(f"    {line}")
    for doubt in one.doubts:
        shell.data(f"  {doubt.what}: {doubt.text}")


def _yes(shell: Shell, found: Proposals, one: Proposal) -> bool:
    """Ask whether a wording asks for the same as the prompt."""
    shell.err.write(
        f"\n{found.original}\n--- or '{one.name}' ---\n{one.template}\nThe same? [y/N] "
    )
    shell.err.flush()
    return input().strip().lower() in {"y", "yes"}


def _data(found: Proposals, frozen: list[str], file: Path | None) -> dict[str, object]:
    return {
        "scenario": found.scenario,
        "by": found.by,
        "wordings": [{**asdict(one), "sound": one.sound} for one in found.found],
        "frozen": frozen,
        "file": None if file is None else str(file),
    }
