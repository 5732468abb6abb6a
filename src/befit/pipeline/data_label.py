"""Labelling: the page, the way through a spreadsheet, and writing what is agreed into the set."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from befit.core.fingerprint import canonical_json
from befit.core.sample import Sample
from befit.datasets.label import (
    ADJUDICATOR,
    Agreement,
    agreement,
    applied,
    standings,
)
from befit.datasets.label_files import import_labels
from befit.datasets.label_pages import LABELLER, LabelPages
from befit.datasets.labelled import is_labelled
from befit.errors import UsageError
from befit.pipeline.data_sets import SetFile
from befit.storage.workspace import Workspace


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelState:
    """How far the labelling of a set is."""

    samples: int
    labelled: int
    """Samples that have a target or check in the file."""
    by_labeller: dict[str, int]
    agreed: int
    disputed: int
    agreement: Agreement


def label_state(workspace: Workspace, held: SetFile) -> LabelState:
    """Return how far a set's labelling is."""
    samples = live(held)
    found = standings(samples, workspace.labels.newest(held.scenario))
    counts: dict[str, int] = {}
    for one in found:
        for name in one.labels:
            counts[name] = counts.get(name, 0) + 1
    return LabelState(
        samples=len(samples),
        labelled=sum(is_labelled(sample) for sample in samples),
        by_labeller=dict(sorted(counts.items())),
        agreed=sum(one.agreed is not None for one in found),
        disputed=sum(one.disputed for one in found),
        agreement=agreement(found),
    )


def live(held: SetFile) -> list[Sample]:
    """Return the samples of a set that are not retired."""
    return [sample for sample in held.read() if sample.retired_on is None]


def take_labels(workspace: Workspace, held: SetFile, path: Path, *, labeller: str) -> int:
    """Store the labels of a file as those of one labeller, all or none; return their number.

    Raises:
        ProjectError: rows that cannot be read.
        UsageError: no name, or one that is kept for adjudication.
    """
    name = " ".join(labeller.split())
    if not name or name.partition(" ")[0] in {ADJUDICATOR, "draft"}:
        raise UsageError("say whose labels these are", do="add --as NAME")
    samples = {sample.id: sample for sample in live(held)}
    found = import_labels(path, list(samples.values()))
    for sample_id, label in found.items():
        body = label.model_dump(mode="json")
        told = canonical_json([held.scenario, sample_id, name, str(path.name), body])
        workspace.labels.put(
            (held.scenario, sample_id, name),
            body,
            shown=samples[sample_id].input_fingerprint,
            request_id=hashlib.blake2b(told.encode(), digest_size=12).hexdigest(),
        )
    return len(found)


def apply_labels(workspace: Workspace, held: SetFile, *, need: int = 1) -> tuple[int, int]:
    """Write agreed and decided labels into the sample file.

    Args:
        workspace: with the labels.
        held: the set.
        need: labellers who have to agree where nobody decided.

    Returns:
        samples changed, and samples still without target or check.
    """
    samples = held.read()
    live_ones = [sample for sample in samples if sample.retired_on is None]
    found = standings(live_ones, workspace.labels.newest(held.scenario))
    changed: dict[str, Sample] = {}
    for one in found:
        label = one.agreed
        enough = one.decision is not None or len(one.labels) >= need
        if label is None or label.unsure or not enough or one.stale:
            continue
        made = applied(one.sample, label)
        if made != one.sample:
            changed[made.id] = made
    after = [changed.get(sample.id, sample) for sample in samples]
    if changed:
        held.write(after)
    left = sum(not is_labelled(one) for one in after if one.retired_on is None)
    return len(changed), left


async def serve_labels(
    workspace: Workspace,
    held: SetFile,
    *,
    host: str,
    port: int,
    ready: Callable[[dict[str, str]], None],
) -> None:
    """Serve the labelling page until cancelled; `ready` gets role -> sign-in address."""
    from befit.web.pages import environment  # noqa: PLC0415 - a server is rarely needed
    from befit.web.serve import hosts_of, secret_of, serve  # noqa: PLC0415 - the same
    from befit.web.sessions import Sessions  # noqa: PLC0415 - the same
    from befit.web.shell import make_app  # noqa: PLC0415 - the same

    sessions = Sessions(secret_of(workspace.folder))
    app = make_app(
        sessions=sessions,
        pages=environment("befit.datasets"),
        title=f"befit: labels of {held.scenario}",
        hosts=hosts_of(host, port),
    )
    LabelPages(held.scenario, live(held), workspace.labels).add_to(app)
    links = {
        role: f"http://{host}:{port}/start/{sessions.link_token(role)}"
        for role in (LABELLER, ADJUDICATOR)
    }
    await serve(app, host=host, port=port, ready=lambda: ready(links))
