"""`befit data sample`: the call and what is said of it."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from befit.cli.shell import Shell
from befit.cli.words import show_table
from befit.config.load import load_project
from befit.core.estimate import THIN
from befit.core.written import many
from befit.datasets.labelled import is_labelled
from befit.datasets.strata import FIELDS
from befit.datasets.write import read_samples
from befit.errors import BefitError, UsageError
from befit.pipeline.data_sample import FEW, Sampled, sample_logs
from befit.plugins import nearest
from befit.storage.interactions import Filter
from befit.storage.workspace import Workspace

_NAMED = 5
"""Strata without a sample that are named."""
_PROMPT = 200
"""Characters of a system prompt that are shown."""


def filter_of(words: tuple[str, ...]) -> Filter:
    """Return the filter that `name=value` words mean.

    Raises:
        UsageError: a word that is no such pair.
    """
    known = list(Filter.__dataclass_fields__)
    found: dict[str, str] = {}
    for word in words:
        name, sign, value = word.partition("=")
        if not sign or name not in known:
            raise UsageError(
                f"'{word}' is no filter",
                do=nearest(name, known).strip() or f"write one of {', '.join(known)} as name=value",
            )
        found[name] = value
    return Filter(**found)


def run_sample(
    shell: Shell,
    workspace: Workspace,
    *,
    scenario: str,
    project: Path,
    out: Path,
    n: int,
    choices: tuple[tuple[str, ...], str, int],
) -> int:
    """Draw and write samples; `choices` are filters, fields and the seed."""
    where, by, seed = choices
    fields = tuple(name.strip() for name in by.split(",") if name.strip())
    for name in fields:
        if name not in FIELDS:
            do = nearest(name, list(FIELDS)).strip() or f"one of: {', '.join(FIELDS)}"
            raise UsageError(f"there is no field '{name}'", do=do)
    if n < 1 or not fields:
        raise UsageError("at least one sample and one field are needed")
    made = sample_logs(
        workspace,
        scenario=scenario,
        out=out,
        n=n,
        chosen=filter_of(where),
        drawing=(seed, fields),
        today=datetime.now(UTC).date(),
    )
    _show(shell, made, wanted=n)
    _known(shell, project, scenario)
    return shell.result(
        {
            "sampling": made.sampling_id,
            "file": str(made.file),
            "samples": len(made.samples),
            "kept": made.kept,
            **{key: item for key, item in made.drawing.to_json().items() if key != "clusters"},
            "smallest_gap": {str(size): gap for size, gap in made.gaps.items()},
            "system_prompts": list(made.system_prompts),
        }
    )


def _known(shell: Shell, project: Path, scenario: str) -> None:
    """Warn where the project has no such scenario: a word mistyped draws for nobody."""
    try:
        known = [one.name for one in load_project(project, keys_needed=False).scenarios]
    except BefitError:
        return  # no project yet, or one whose samples are only being drawn
    if scenario not in known:
        guess = nearest(scenario, known).strip() or f"it has: {', '.join(known)}"
        shell.warn(f"the project has no scenario '{scenario}'; {guess}")


def _show(shell: Shell, made: Sampled, *, wanted: int) -> None:
    drawing = made.drawing
    total = len(made.samples) + made.kept
    if not shell.as_json:
        rows = [
            [one.name, f"{one.lines:,}", f"{one.texts:,}", str(one.samples)]
            for one in drawing.strata
        ]
        lines = "line" if drawing.lines == 1 else "lines"
        title = f"{many(len(made.samples), 'sample')} for {drawing.lines:,} log {lines}"
        header = [" / ".join(drawing.fields), "lines", "different texts", "samples"]
        show_table(shell, header, rows, title=title, numeric=(1, 2, 3))
        shell.data("")
        gaps = [
            [str(size), "none" if gap is None else f"{100 * gap:.1f} points"]
            for size, gap in made.gaps.items()
        ]
        title = "Smallest gap of two pass rates that so many samples show (power 80 %)"
        show_table(shell, ["samples", "gap"], gaps, title=title, numeric=(0, 1))
    if drawing.dropped_fields:
        names = ", ".join(drawing.dropped_fields)
        shell.warn(f"too many strata for the samples wanted: not told apart by {names}")
    _fewer(shell, made, wanted=wanted)
    if total < FEW:
        thin = ": every cell built on them is marked as thin" if total < THIN else ""
        shell.warn(f"{total} samples are few{thin}")
    for prompt in made.system_prompts:
        shown = prompt[:_PROMPT] + ("..." if len(prompt) > _PROMPT else "")
        shell.say(f"note   a system prompt is left to the candidates: {shown!r}")
    shell.say(
        f"wrote  {made.file} ({many(total, 'sample')}, {_open(made)} unlabelled and "
        f"left out of runs)"
    )
    shell.say(f"next   befit data label {made.file}")


def _open(made: Sampled) -> int:
    return sum(not is_labelled(one) for one in read_samples(made.file) if one.retired_on is None)


def _fewer(shell: Shell, made: Sampled, *, wanted: int) -> None:
    """Say why there are fewer samples than asked for, and which strata have none of their own."""
    drawn = made.drawing.drawn
    if len(drawn) < wanted:
        shell.say(f"note   {len(drawn)} of {wanted} samples: the other lines repeat their texts")
    if len(drawn) > len(made.samples):
        known = len(drawn) - len(made.samples)
        shell.say(f"note   {known} of the drawn samples are in {made.file.name} already")
    empty = [one for one in made.drawing.strata if one.lines and not one.samples]
    if empty:
        lines = sum(one.lines for one in empty)
        names = "; ".join(one.name for one in empty[:_NAMED])
        more = f" and {len(empty) - _NAMED} more" if len(empty) > _NAMED else ""
        shell.warn(
            f"{len(empty)} strata ({many(lines, 'line')}) have no sample of their own, "
            f"what is asked "
            f"there stands in others and in their weight: {names}{more}"
        )
