"""What the verbs that look after a set do and say."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, date, datetime
from pathlib import Path

from befit.cli.shell import DATA, OK, Shell, shorten
from befit.cli.words import show_table
from befit.core.written import many
from befit.datasets.labelled import is_labelled
from befit.pipeline.data_change import (
    Changed,
    add_samples,
    approve,
    freeze_set,
    propose,
    retire_samples,
    write_changes,
)
from befit.pipeline.data_sets import SetFile, find_known, find_set
from befit.pipeline.data_status import Status, lint_rules, lint_set, status_of, version_of
from befit.pipeline.data_variants import add_variants
from befit.storage.workspace import Workspace

_SHOWN = 10


def _today() -> date:
    return datetime.now(UTC).date()


def run_variants(
    shell: Shell,
    project: Path,
    words: str,
    classes: tuple[str, ...],
    *,
    numbers: tuple[int, int, int],
) -> int:
    """Add variants; `numbers` are parents, seed and tokens."""
    parents, seed, tokens = numbers
    held = find_set(project, words)
    made = add_variants(held, classes, parents=parents, seed=seed, tokens=tokens, today=_today())
    if not shell.as_json:
        rows = [[name, str(count)] for name, count in made.by_class.items()]
        show_table(shell, ["class", "made"], rows, title=f"{many(len(made.variants), 'variant')}",
                   numeric=(1,))  # fmt: skip
    if made.unlabelled:
        shell.warn(f"{made.unlabelled} unlabelled samples have no variants")
    return shell.result({"variants": len(made.variants), "by_class": made.by_class})


def run_lint(
    shell: Shell, workspace: Workspace, project: Path, words: str, *, difference: float | None
) -> int:
    """Run the rules over a set."""
    held, loaded = find_known(project, words, workspace)
    live = [one for one in held.read() if one.retired_on is None]
    found = lint_rules(lint_set(workspace, held, live, loaded, difference=difference))
    for one in found:
        shell.data(f"{one.severity:<8} {one.code:<18} {one.what}")
        if one.samples:
            shell.data(f"{'':<27} {shorten(one.samples)}")
        if one.do:
            shell.data(f"{'':<27} do: {one.do}")
    if not found:
        shell.data("nothing to say")
    wrong = any(one.severity == "error" for one in found)
    return shell.result([asdict(one) for one in found], code=DATA if wrong else OK)


def run_freeze(
    shell: Shell, workspace: Workspace, project: Path, words: str, *, told: tuple[str, str, str]
) -> int:
    """Freeze a set; `told` are name, author and changelog."""
    name, author, changelog = told
    held, loaded = find_known(project, words, workspace)
    made = freeze_set(workspace, held, loaded, name=name, author=author, changelog=changelog)
    shell.data(f"{made.scenario}  {made.name}  {made.version}  {many(made.n_samples, 'sample')}")
    shell.data(made.changelog)
    open_ones = sum(not is_labelled(one) for one in held.read() if one.retired_on is None)
    if open_ones:
        shell.warn(f"unlabelled and left out of runs: {open_ones} of {made.n_samples} samples")
    return shell.result(asdict(made))


def run_add(shell: Shell, project: Path, words: str, source: Path) -> int:
    """Add samples of a file."""
    held = find_set(project, words)
    return _changed(shell, held, add_samples(held, source, today=_today()))


def run_retire(shell: Shell, project: Path, words: str, ids: Sequence[str]) -> int:
    """Retire samples."""
    held = find_set(project, words)
    return _changed(shell, held, retire_samples(held, ids, today=_today()))


def _changed(shell: Shell, held: SetFile, made: Changed) -> int:
    shell.say(f"wrote  {held.path}: {made.added} added, {made.retired} retired, {made.live} live")
    return shell.result(asdict(made))


def run_status(shell: Shell, workspace: Workspace, project: Path, words: str, *, days: int) -> int:
    """Show how fresh a set is."""
    held, loaded = find_known(project, words, workspace)
    made = status_of(workspace, held, loaded, days=days, today=_today())
    if not shell.as_json:
        _show_set(shell, made)
        _show_coverage(shell, made, days=days)
        for tag, count in made.add:
            shell.data(f"add        {count} of {tag}")
        for one in made.retire[:_SHOWN]:
            shell.data(f"retire     {one.sample_id}: {one.why}")
        if made.add or made.retire:
            shell.say(f"next   befit data refresh {words}")
    return shell.result(asdict(made))


def _show_set(shell: Shell, made: Status) -> None:
    shell.data(
        f"samples    {made.live} live, {made.retired} retired, {made.unlabelled} unlabelled"
        + (" and left out of runs" if made.unlabelled else "")
    )
    if made.frozen is None:
        shell.data("version    never frozen")
    else:
        same = made.frozen.version == made.version
        state = "unchanged since" if same else "changed since"
        shell.data(f"version    {state} '{made.frozen.name}' ({made.frozen.created_at})")
    if made.ages.known:
        shell.data(f"age        median {made.ages.median:g} days, oldest {made.ages.oldest}")
    if made.run_id is not None:
        known = [one for one in made.standings if one.candidates > 1]
        passed = sum(one.saturated for one in known)
        failed = sum(one.hopeless for one in known)
        apart = sum(one.spread > 0 for one in known)
        shell.data(
            f"run        {made.run_id}: of {len(known)} samples {apart} tell candidates apart, "
            f"{passed} are passed by all, {failed} by none"
        )
    if made.leaks:
        shell.data(f"leaks      {shorten(made.leaks)}")


def _show_coverage(shell: Shell, made: Status, *, days: int) -> None:
    coverage = made.coverage
    if coverage is None:
        shell.data("coverage   not measured: the set was not drawn from logs")
    elif not coverage.enough:
        shell.data(f"coverage   not measured: {coverage.lines_now} log lines in {_days(days)}")
    elif not coverage.moved:
        shell.data(
            f"coverage   nothing moved in {many(coverage.lines_now, 'line')} of {_days(days)}"
        )
    else:
        rows = [
            [one.field, one.value, f"{100 * one.before:.1f} %", f"{100 * one.now:.1f} %",
             f"[{100 * one.low:+.1f}, {100 * one.high:+.1f}]", _chance(one.p_adjusted)]
            for one in coverage.moved
        ]  # fmt: skip
        header = ["field", "value", "then", "now", "change, points", "p (Holm)"]
        show_table(shell, header, rows, title=f"Moved in the newest {_days(days)}",
                   numeric=(2, 3, 4, 5))  # fmt: skip


def _chance(p: float) -> str:
    return "< 0.001" if p < 0.001 else f"{p:.3f}"  # noqa: PLR2004 - digits shown


def _days(days: int) -> str:
    return "day" if days == 1 else f"{days} days"


def run_refresh(
    shell: Shell,
    workspace: Workspace,
    project: Path,
    words: str,
    *,
    choices: tuple[int, int, Path, Path | None],
) -> int:
    """Propose changes, or apply approved ones; `choices` are days, seed, out and approval."""
    days, seed, out, approved = choices
    held, loaded = find_known(project, words, workspace)
    if approved is not None:
        version = version_of(held, loaded)
        return _changed(shell, held, approve(held, approved, version=version, today=_today()))
    status = status_of(workspace, held, loaded, days=days, today=_today())
    made = propose(workspace, held, status, days=days, seed=seed, today=_today())
    write_changes(out, made)
    shell.say(f"wrote  {out}: {len(made.add)} to add, {len(made.retire)} to retire")
    shell.say(f"next   read it, cut it, then: befit data refresh {words} --approve {out}")
    return shell.result({"file": str(out), "add": len(made.add), "retire": len(made.retire)})
