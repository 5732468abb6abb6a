"""`befit reprice`: a run's answers at other prices, beside what they were billed at."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, get_args

from befit.analysis.load_result import as_json
from befit.charts.numbers import estimate_text
from befit.cli.common import open_workspace
from befit.cli.price_lists import read_lists
from befit.cli.words import money, show_table
from befit.config.load import FILE_NAME, load_project
from befit.core.price import Service
from befit.errors import ProjectError, UsageError
from befit.pipeline.repricing import Repriced, present_prices, reprice
from befit.targets.pricing import find_price

if TYPE_CHECKING:
    from befit.cli.shell import Shell
    from befit.core.candidate import Candidate
    from befit.core.price import Price
    from befit.core.run import Manifest
    from befit.interop.price_list import PriceList


def act(shell: Shell, run: str, *, project: Path, lists: list[Path], service: str) -> int:
    """Show a run at other prices."""
    if service not in get_args(Service):
        raise UsageError(f"no service '{service}'", why=f"known: {', '.join(get_args(Service))}")
    found = read_lists(lists)
    with open_workspace(project, shell=shell) as workspace:
        manifest = workspace.find_run(run)
        prices = {} if found or service != "standard" else _changed(shell, project, manifest)
        prices |= {
            entry.candidate.name: _price(entry.candidate, found, service)  # type: ignore[arg-type]  # checked above
            for entry in manifest.candidates
            if entry.candidate.name not in prices
        }
        rows = reprice(workspace, manifest, prices)
    show_table(
        shell,
        ["candidate", "answers", "billed", "anew", "factor", "per success", "price"],
        [_row(row) for row in rows],
        numeric=(1, 2, 3, 4, 5),
    )
    shell.data(f"run {manifest.id} itself stays as it was billed")
    return shell.result({"run": manifest.id, "service": service, "rows": as_json(rows)})


def _changed(shell: Shell, project: Path, manifest: Manifest) -> dict[str, Price | None]:
    """Return the prices of the project as it is now where they are not those of the run."""
    if not (project.is_file() or (project / FILE_NAME).is_file()):
        return {}
    try:
        loaded = load_project(project, keys_needed=False)
    except ProjectError as error:
        shell.warn(f"the project's present prices cannot be read ({error.problems[0]})")
        return {}
    present = present_prices(loaded.candidates, manifest, now=datetime.now(tz=UTC))
    for name, new in present.renamed.items():
        shell.warn(f"'{name}' of the run is '{new}' in the project now: its price is shown")
    if present.gone:
        names = ", ".join(f"'{name}'" for name in present.gone)
        shell.warn(
            f"the project has no such candidate any more: {names}; shown at the listed price, "
            "else at that of the run"
        )
    return dict(present.changed)


def _price(candidate: Candidate, lists: tuple[PriceList, ...], service: Service) -> Price | None:
    for one in lists:
        provider = None if candidate.base_url else candidate.target
        for entry in one.find(candidate.model, provider):
            if service in entry.prices:
                return entry.prices[service]
    if lists:
        return None
    listed = find_price(candidate, at=datetime.now(tz=UTC), service=service)
    if listed is None and service == "standard" and candidate.price not in {"auto", None}:
        return candidate.price  # type: ignore[return-value]  # neither "auto" nor None
    return listed


def _row(row: Repriced) -> list[str]:
    factor = row.factor
    return [
        row.candidate,
        f"{row.trials:,}",
        money(None if row.billed is None else float(row.billed)),
        money(None if row.anew is None else float(row.anew)),
        "—" if factor is None else f"{factor:.2f}",
        estimate_text(row.per_success, "usd"),
        "unknown" if row.new is None else row.new.source,
    ]
