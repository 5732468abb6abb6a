"""Guided completion from a file of items to samples, and from a run of them to flags."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import orjson

from befit.analysis.screening_overlap import MIN_INSTANCES, guided_flag
from befit.core.sample import Sample
from befit.datasets.files import FileDataset
from befit.errors import UsageError
from befit.probes.guided import BEGINNING, GUIDED, TAG, continuation, guided
from befit.storage.whole_file import write_whole
from befit.storage.workspace import Workspace

_BATCH = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class GuidedFile:
    """What was made and what was not."""

    path: Path
    n_items: int
    made: int
    """Items of which the two samples were written."""
    skipped: dict[str, int]
    """Reason -> items."""


def guided_file(path: Path, out: Path, *, source: str = "") -> GuidedFile:
    """Write the guided and unguided samples of all items of a file.

    Args:
        path: the items, in any form that projects read.
        out: a `.jsonl` file.
        source: name of the data set; each item's `provenance.source` where empty.

    Raises:
        ProjectError: the items cannot be read.
        UsageError: the file cannot be written.
    """
    asked = list(guided(FileDataset(path).load(), source=source))
    rows = [
        sample.model_dump(mode="json", exclude_defaults=True)
        for one in asked
        for sample in one.samples
    ]
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        write_whole(out, b"".join(orjson.dumps(row) + b"\n" for row in rows))
    except OSError as error:
        raise UsageError(
            "the samples cannot be written", where=str(out), why=error.strerror or str(error)
        ) from error
    skipped = Counter(one.why for one in asked if one.why)
    return GuidedFile(
        path=out,
        n_items=len(asked),
        made=sum(bool(one.samples) for one in asked),
        skipped=dict(skipped.most_common()),
    )


def run_flags(workspace: Workspace, run_id: str) -> dict[str, tuple[str, ...]]:
    """Return the flags of guided completion by candidate, from a stored run.

    Only items that were finished both ways count, each by its first answers. A
    candidate with fewer than ten of them is left out; one with an empty tuple was
    looked at and shows nothing.
    """
    samples: dict[tuple[str, str], Sample] = {
        (scenario.spec.name, sample.id): sample
        for scenario in workspace.manifest(run_id).scenarios
        for sample in workspace.samples(run_id, scenario.spec.name)
        if TAG in sample.tags and sample.provenance and sample.provenance.parent_id
    }
    keys: dict[tuple[str, str, str], tuple[int, str]] = {}
    for fact in workspace.facts(run_id) if samples else ():
        if (fact.scenario, fact.sample_id) not in samples or fact.status != "ok":
            continue
        place = (fact.candidate, fact.scenario, fact.sample_id)
        keys[place] = min(keys.get(place, (fact.repeat, fact.key_id)), (fact.repeat, fact.key_id))
    answers = _answers(workspace, samples, {place: key for place, (_, key) in keys.items()})
    found: dict[str, tuple[str, ...]] = {}
    for candidate, triples in answers.items():
        if len(triples) >= MIN_INSTANCES:
            flag = guided_flag(triples, rng=np.random.default_rng(0))
            found[candidate] = (flag,) if flag else ()
    return found


def _answers(
    workspace: Workspace,
    samples: dict[tuple[str, str], Sample],
    keys: dict[tuple[str, str, str], str],
) -> dict[str, list[tuple[str, str, str]]]:
    """Return (guided, unguided, true rest) of each item with both, by candidate."""
    pairs: dict[tuple[str, str, str], dict[bool, str]] = {}
    rests: dict[tuple[str, str, str], str] = {}
    places = list(keys)
    for start in range(0, len(places), _BATCH):
        part = places[start : start + _BATCH]
        trials = workspace.trials(list(dict.fromkeys(keys[place] for place in part)))
        for place in part:
            candidate, scenario, sample_id = place
            trial, sample = trials.get(keys[place]), samples[scenario, sample_id]
            if trial is None or sample.provenance is None:
                continue
            item = (candidate, scenario, sample.provenance.parent_id or sample_id)
            text = continuation(trial.output, sample.vars.get(BEGINNING, ""))
            pairs.setdefault(item, {})[GUIDED in sample.tags] = text
            rests[item] = str(sample.target)
    answers: dict[str, list[tuple[str, str, str]]] = {}
    for item, both in pairs.items():
        if len(both) == 2:  # noqa: PLR2004 - told the source, and not told
            answers.setdefault(item[0], []).append((both[True], both[False], rests[item]))
    return answers
