"""Sampling: from the imported logs to a sample file, and the record of how it was drawn."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from datetime import date
from pathlib import Path

from befit.core.interaction import Interaction
from befit.core.sample import Sample
from befit.datasets.from_log import to_samples
from befit.datasets.sample import Drawing, Log, draw
from befit.datasets.write import read_samples, write_samples
from befit.errors import UsageError
from befit.pipeline.data_sets import place_of
from befit.stats.power import smallest_detectable
from befit.storage.interactions import Filter, LogFacts
from befit.storage.workspace import Workspace

SIZES = (50, 100, 200, 500)
"""Set sizes for which the smallest visible gap is shown."""
FEW = 50
"""Fewer samples than this are too few to see anything but large differences."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sampled:
    """What sampling made."""

    sampling_id: str
    file: Path
    samples: tuple[Sample, ...]
    kept: int
    """Samples the file had before."""
    drawing: Drawing
    system_prompts: tuple[str, ...]
    """System prompts that several lines share: they belong to the candidate, not to the samples."""
    gaps: dict[int, float | None]
    """Set size -> smallest difference of two pass rates it can show."""


def sample_logs(
    workspace: Workspace,
    *,
    scenario: str,
    out: Path,
    n: int,
    chosen: Filter,
    drawing: tuple[int, Sequence[str]],
    today: date,
) -> Sampled:
    """Draw samples for a scenario and write them to `out`, after those it has.

    Args:
        workspace: with imported logs.
        scenario: whose set it is.
        out: the JSONL file.
        n: samples wanted.
        chosen: which log lines count.
        drawing: the seed, and the fields of the strata.
        today: date of adding.

    Raises:
        UsageError: there are no log lines of that choice.
        DataError: the file cannot be written.
    """
    logs = workspace.interactions
    if not logs.count(chosen):
        raise UsageError(
            "there are no log lines to draw from",
            where=workspace.location,
            do="import logs with `befit data import`, or choose less with --where",
        )
    seed, fields = drawing
    before = read_samples(out) if out.exists() else []
    drawn = draw(log_of(workspace, chosen), Rows(workspace, chosen).fetch, n=n, seed=seed,
                 fields=fields)  # fmt: skip
    made, systems = to_samples(drawn.drawn, prefix=scenario, fields=drawn.fields, added_on=today)
    held = {sample.id for sample in before}
    fresh = [sample for sample in made if sample.id not in held]
    write_samples(out, [*before, *fresh])
    place = place_of(workspace, out)
    record = {**drawn.to_json(), "filter": asdict(chosen), "file": place}
    return Sampled(
        sampling_id=workspace.sets.put_sampling(scenario, record),
        file=out,
        samples=tuple(fresh),
        kept=len(before),
        drawing=drawn,
        system_prompts=tuple(systems),
        gaps={size: smallest_detectable(size) for size in SIZES},
    )


def log_of(workspace: Workspace, chosen: Filter) -> Log:
    """Return the log as a drawing reads it: again and again, in one order."""

    def stream() -> Iterable[tuple[LogFacts, Interaction]]:
        return workspace.interactions.bodies(chosen)

    return stream


class Rows:
    """Exchanges by their place in the stream: ids are looked up once, as the draw asks."""

    def __init__(self, workspace: Workspace, chosen: Filter) -> None:
        self._logs = workspace.interactions
        self._ids = [facts.id for facts in self._logs.facts(chosen)]

    def fetch(self, rows: Sequence[int]) -> dict[int, Interaction]:
        """Return the exchanges of these rows."""
        ids = {self._ids[row]: row for row in rows}
        return {ids[one]: held for one, held in self._logs.get(list(ids)).items()}
