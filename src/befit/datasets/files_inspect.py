"""One pass over a dataset: is it sound, what is in it, and which version is it.

The pass keeps an id and a hash per sample and nothing else, so it takes files
of any size. A visitor sees every live sample on the way, which saves the
project's own checks a second reading.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import orjson

from befit.core.fingerprint import LENGTH
from befit.core.protocols import Dataset
from befit.core.record import Json
from befit.core.sample import Sample
from befit.datasets.files import FileDataset, ListDataset, Problems, Row
from befit.datasets.labelled import LabelledOnly
from befit.errors import BefitError, DataError

Visitor = Callable[[Sample, str], Iterable[BefitError]]
"""Called with each live sample and its `file:line`; returns what is wrong with it."""

_SHOWN = {"input", "turns", "vars", "tools", "attachments", "world"}
_NAMES = {"id", "tags", "provenance", "added_on", "observed"}
"""Fields that change neither what is asked nor how it is judged."""
_MODULUS = 1 << 256


@dataclass(frozen=True, slots=True, kw_only=True)
class DatasetSummary:
    """What a dataset holds; counts are of live samples unless they say otherwise."""

    n: int
    n_retired: int
    set_version: str
    """Hash of the live samples' content; it does not depend on their order."""
    kinds: dict[str, int]
    languages: dict[str, int]
    """Language -> samples; "" where none is given."""
    n_with_target: int
    n_turns: int
    """Samples with scripted turns."""
    n_characters: int
    """Characters of all inputs and scripted turns."""
    n_unlabelled: int = 0
    """Samples left out because nothing says what a right answer to them is; not part of `n`."""
    repeated_inputs: tuple[tuple[str, str], ...] = ()
    """Pairs of ids (at most 20) that show a candidate the very same thing."""
    copies: dict[str, str] = field(default_factory=dict)
    """Id -> id of the earlier sample that it repeats in all that is asked and judged."""
    same_input: dict[str, str] = field(default_factory=dict)
    """Id -> a name for all samples with its input, which are judged in different ways."""
    problems: tuple[BefitError, ...] = ()
    """What is wrong, bounded; empty for a sound dataset."""


@dataclass(slots=True, kw_only=True)
class _Tally:
    ids: dict[str, str] = field(default_factory=dict)
    inputs: dict[bytes, str] = field(default_factory=dict)
    wholes: dict[bytes, str] = field(default_factory=dict)
    copies: dict[str, str] = field(default_factory=dict)
    same_input: dict[str, str] = field(default_factory=dict)
    kinds: Counter[str] = field(default_factory=Counter)
    languages: Counter[str] = field(default_factory=Counter)
    repeated: list[tuple[str, str]] = field(default_factory=list)
    total: int = 0
    n: int = 0
    n_retired: int = 0
    n_with_target: int = 0
    n_turns: int = 0
    n_characters: int = 0

    def add(self, sample: Sample) -> None:
        if sample.retired_on is not None:
            self.n_retired += 1
            return
        content = sample.model_dump(mode="json", exclude_defaults=True)
        self.total = (self.total + int.from_bytes(_digest(content), "big")) % _MODULUS
        shown = _digest({key: item for key, item in content.items() if key in _SHOWN})[:16]
        first = self.inputs.setdefault(shown, sample.id)
        self._repeats(sample.id, first, content)
        if first != sample.id and len(self.repeated) < 20:  # noqa: PLR2004 - see repeated_inputs
            self.repeated.append((first, sample.id))
        self.n += 1
        self.kinds[sample.kind] += 1
        self.languages[sample.language or ""] += 1
        self.n_with_target += sample.target is not None
        self.n_turns += bool(sample.turns)
        self.n_characters += _characters(sample)

    def _repeats(self, own: str, first: str, content: dict[str, Json]) -> None:
        whole = _digest({key: item for key, item in content.items() if key not in _NAMES})[:16]
        same = self.wholes.setdefault(whole, own)
        if same != own:
            self.copies[own] = same
        elif first != own:
            name = f"same input as {first}"
            self.same_input[own] = self.same_input[first] = name

    def version(self) -> str:
        return hashlib.sha256(f"{self.n}:{self.total:x}".encode()).hexdigest()[:LENGTH]


def _digest(value: object) -> bytes:
    return hashlib.sha256(orjson.dumps(value, option=orjson.OPT_SORT_KEYS)).digest()


def _characters(sample: Sample) -> int:
    if sample.turns:
        return sum(len(turn.user) for turn in sample.turns)
    if isinstance(sample.input, str):
        return len(sample.input)
    return sum(len(message.text) for message in sample.input or ())


def _rows(dataset: Dataset) -> Iterator[Row]:
    if isinstance(dataset, FileDataset | ListDataset | LabelledOnly):
        yield from dataset.rows()
        return
    name = getattr(dataset, "name", "") or type(dataset).__name__
    try:
        for i, sample in enumerate(dataset.load()):
            yield Row(where=f"{name} sample {i + 1}", sample=sample)
    except BefitError as error:
        yield Row(where=name, problems=(error,))


def inspect(dataset: Dataset, *, visit: Sequence[Visitor] = ()) -> DatasetSummary:
    """Read a dataset once and return what is in it and what is wrong with it.

    Args:
        dataset: any dataset; files report their mistakes with `file:line`.
        visit: called with every live sample and its place.
    """
    name = getattr(dataset, "name", "") or type(dataset).__name__
    tally, problems = _Tally(), Problems(name)
    for row in _rows(dataset):
        problems.extend(row.problems)
        sample = row.sample
        if sample is None:
            continue
        first = tally.ids.setdefault(sample.id, row.where)
        if first != row.where:
            what = f"the id '{sample.id}' occurs twice (first at {first})"
            problems.extend([DataError(what, where=row.where, do="give it an id of its own")])
            continue
        tally.add(sample)
        if sample.retired_on is None:
            for visitor in visit:
                problems.extend(list(visitor(sample, row.where)))
    unlabelled = dataset.left_out if isinstance(dataset, LabelledOnly) else 0
    if not tally.n and not problems.found and not unlabelled:
        what = "all samples are retired" if tally.n_retired else "there are no samples in it"
        problems.extend([DataError(what, where=name, do="add samples")])
    return DatasetSummary(
        n=tally.n,
        n_retired=tally.n_retired,
        set_version=tally.version(),
        kinds=dict(tally.kinds),
        languages=dict(tally.languages),
        n_with_target=tally.n_with_target,
        n_turns=tally.n_turns,
        n_characters=tally.n_characters,
        n_unlabelled=unlabelled,
        repeated_inputs=tuple(tally.repeated),
        copies=tally.copies,
        same_input=tally.same_input,
        problems=tuple(problems.all()),
    )
