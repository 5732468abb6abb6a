"""A sample set out of a log: stratified, without duplicates, with the weight of what it stands for.

Inside each stratum log lines are drawn at random, one after the other. A line
whose text (or template, or near-duplicate) is in the set already adds to the
weight of that sample; another one becomes a new sample, until the stratum has
its number. So the weight of a sample is the log lines it stands for, duplicates
included, and a weighted mean estimates the production mix.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from befit.core.interaction import Interaction
from befit.datasets import strata
from befit.datasets.logrow import question_of
from befit.datasets.near import Clusters, NearDuplicates, cluster, template_key
from befit.storage.interactions import LogFacts

Log = Callable[[], Iterable[tuple[LogFacts, Interaction]]]
Fetch = Callable[[Sequence[int]], dict[int, Interaction]]
"""Rows of the log (as numbered by the scan) -> their exchanges."""
Ints = npt.NDArray[np.int64]
_T = TypeVar("_T")

_CLUSTERS = 8
_RESERVOIR = 4_000
_CHUNK = 1_000
_TRIES = 60
"""Lines drawn at most for each sample wanted, before a stratum counts as exhausted."""
_LABELLED = 0.5
"""Share of lines with an intent from which clusters are not needed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stratum:
    """One stratum: its values, its lines and different texts in the log, and what was drawn."""

    name: str
    values: tuple[str, ...]
    lines: int
    texts: int
    samples: int
    draws: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawn:
    """One line that became a sample, its stratum, and the log lines it stands for."""

    row: int
    interaction: Interaction
    stratum: str
    values: tuple[str, ...]
    weight: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawing:
    """What was drawn, and how: enough to compare later logs with it."""

    drawn: tuple[Drawn, ...]
    strata: tuple[Stratum, ...]
    fields: tuple[str, ...]
    dropped_fields: tuple[str, ...]
    """Fields that would have made more strata than the set can fill."""
    lines: int
    seed: int
    clusters: Clusters | None
    margins: dict[str, dict[str, int]]
    """Every field -> value -> log lines."""

    def to_json(self) -> dict[str, Any]:
        """Return the record that is kept of a sampling."""
        return {
            "fields": list(self.fields),
            "dropped_fields": list(self.dropped_fields),
            "lines": self.lines,
            "seed": self.seed,
            "strata": [
                {"name": one.name, "lines": one.lines, "texts": one.texts,
                 "samples": one.samples, "draws": one.draws}
                for one in self.strata
            ],
            "margins": self.margins,
            "clusters": None if self.clusters is None else self.clusters.to_json(),
        }  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Scan:
    """One pass over a log: what each line is told apart by."""

    values: list[tuple[str, ...]]
    """The different combinations of all fields."""
    combination: Ints
    """The combination of each row."""
    template: npt.NDArray[np.uint64]
    usable: npt.NDArray[np.bool_]
    """Whether the row has a question at all."""
    fields: tuple[str, ...]
    clusters: Clusters | None


def draw(log: Log, fetch: Fetch, *, n: int, seed: int, fields: Sequence[str]) -> Drawing:
    """Draw `n` samples from a log that can be streamed again and again.

    Args:
        log: streams (facts, exchange) in a stable order.
        fetch: reads rows by their place in that order.
        n: samples wanted.
        seed: the same seed draws the same samples.
        fields: what strata are made of, the most important first.
    """
    return draw_scanned(scan_log(log, fields=fields, seed=seed), fetch, n=n, seed=seed)


def scan_log(log: Log, *, fields: Sequence[str], seed: int) -> Scan:
    """Return what a drawing needs of a log; `intent` becomes clusters where there is none."""
    asked = "cluster" in fields
    clusters = _clusters(log, seed=seed, asked=asked) if asked or "intent" in fields else None
    replaced = clusters is not None and not asked
    wanted = tuple("cluster" if replaced and name == "intent" else name for name in fields)
    return _scan(log, wanted, clusters)


def draw_scanned(scan: Scan, fetch: Fetch, *, n: int, seed: int) -> Drawing:
    """Draw from a log that was scanned before; arguments as `draw`."""
    wanted = scan.fields
    used = len(wanted)
    while used > 1 and len({values[:used] for values in scan.values}) > max(1, n // 5):
        used -= 1
    names = sorted({values[:used] for values in scan.values})
    place = {values: i for i, values in enumerate(names)}
    of_combination = np.array([place[values[:used]] for values in scan.values], dtype=np.int64)
    stratum = of_combination[scan.combination] if len(scan.combination) else scan.combination
    rows = [np.flatnonzero((stratum == i) & scan.usable) for i in range(len(names))]
    texts = [len(np.unique(scan.template[held])) for held in rows]
    given = strata.allocate([len(held) for held in rows], texts, n=n)
    work = _Draw(fetch, scan.template)
    draws = [0] * len(names)
    # The poorest first: a text that several strata have goes to the one that has no other.
    for i in sorted(range(len(names)), key=lambda i: (texts[i], i)):
        if given[i]:
            draws[i] = work.stratum(names[i], rows[i], wanted=given[i], seed=seed)
    counts = Counter(one.values for one in work.kept)
    made = [
        Stratum(name=" / ".join(values), values=values, lines=len(rows[i]), texts=texts[i],
                samples=counts[values], draws=draws[i])
        for i, values in enumerate(names)
    ]  # fmt: skip
    return Drawing(
        drawn=tuple(work.drawn()),
        strata=tuple(made),
        fields=wanted[:used],
        dropped_fields=wanted[used:],
        lines=int(scan.usable.sum()),
        seed=seed,
        clusters=scan.clusters,
        margins=_margins(scan, wanted),
    )


def _clusters(log: Log, *, seed: int, asked: bool) -> Clusters | None:
    """Return clusters of the log's texts, unless it names its intents and none are asked for."""
    rng = np.random.default_rng(seed)
    kept: list[str] = []
    seen = labelled = 0
    for facts, held in log():
        seen += 1
        labelled += facts.intent is not None
        if len(kept) < _RESERVOIR:
            kept.append(question_of(held))
        elif (at := int(rng.integers(seen))) < _RESERVOIR:
            kept[at] = question_of(held)
    if not seen or (labelled >= _LABELLED * seen and not asked):
        return None
    return cluster(kept, k=_CLUSTERS, seed=seed)


def _scan(log: Log, fields: tuple[str, ...], clusters: Clusters | None) -> Scan:
    values: dict[tuple[str, ...], int] = {}
    combination: list[Ints] = []
    template: list[npt.NDArray[np.uint64]] = []
    usable: list[npt.NDArray[np.bool_]] = []
    for chunk in _chunks(log()):
        texts = [question_of(held) for _, held in chunk]
        homes = None if clusters is None else clusters.assign(texts)
        codes = []
        for i, (facts, _) in enumerate(chunk):
            found = strata.values_of(
                facts, fields, cluster=None if homes is None else int(homes[i])
            )
            codes.append(values.setdefault(found, len(values)))
        combination.append(np.array(codes, dtype=np.int64))
        keys = [template_key(_conversation(held)) for _, held in chunk]
        template.append(np.array(keys, dtype=np.uint64))
        usable.append(np.array([bool(text.strip()) for text in texts]))
    empty = np.zeros(0, dtype=np.int64)
    return Scan(
        values=list(values),
        combination=np.concatenate(combination) if combination else empty,
        template=np.concatenate(template) if template else empty.astype(np.uint64),
        usable=np.concatenate(usable) if usable else empty.astype(np.bool_),
        fields=fields,
        clusters=clusters,
    )


def _conversation(held: Interaction) -> str:
    """Return what a candidate would be shown, but the system prompt that all lines share."""
    return "\n".join(message.text for message in held.messages if message.role != "system")


def _chunks(items: Iterable[_T]) -> Iterator[list[_T]]:
    stream = iter(items)
    while chunk := list(islice(stream, _CHUNK)):
        yield chunk


def _margins(scan: Scan, fields: tuple[str, ...]) -> dict[str, dict[str, int]]:
    counts = np.bincount(scan.combination[scan.usable], minlength=len(scan.values))
    found: dict[str, dict[str, int]] = {}
    for place, name in enumerate(fields):
        held: Counter[str] = Counter()
        for values, count in zip(scan.values, counts.tolist(), strict=True):
            held[values[place]] += int(count)
        found[name] = dict(sorted(held.items()))
    return found


@dataclass(slots=True)
class _Kept:
    row: int
    interaction: Interaction
    values: tuple[str, ...]
    weight: float = 0.0


class _Draw:
    """The set as it grows, over all strata."""

    def __init__(self, fetch: Fetch, template: npt.NDArray[np.uint64]) -> None:
        self._fetch = fetch
        self._template = template
        self._near = NearDuplicates()
        self._by_template: dict[int, int] = {}
        self.kept: list[_Kept] = []

    def stratum(self, values: tuple[str, ...], rows: Ints, *, wanted: int, seed: int) -> int:
        """Draw from one stratum until it has its samples; return the lines drawn."""
        rng = strata.generator(seed, "\0".join(values))
        order = rng.permutation(rows)[: max(_TRIES * wanted, 200)]
        hits: Counter[int] = Counter()
        new = draws = 0
        for start in range(0, len(order), 4 * wanted):
            part = order[start : start + 4 * wanted].tolist()
            fresh = [row for row in part if int(self._template[row]) not in self._by_template]
            held = self._fetch(fresh)
            for row in part:
                key = int(self._template[row])
                at = self._by_template.get(key)
                if at is None:
                    if new == wanted:
                        # The next different text would be one too many: the draw ends here.
                        return self._weigh(hits, draws, len(rows))
                    at, is_new = self._place(row, held[row], values)
                    self._by_template[key] = at
                    new += is_new
                draws += 1
                hits[at] += 1
        return self._weigh(hits, draws, len(rows))

    def _place(self, row: int, held: Interaction, values: tuple[str, ...]) -> tuple[int, bool]:
        near, signature = self._near.find(_conversation(held))
        if near is not None:
            return near, False
        self.kept.append(_Kept(row=row, interaction=held, values=values))
        return self._near.keep(signature), True

    def _weigh(self, hits: Counter[int], draws: int, lines: int) -> int:
        for at, count in hits.items():
            self.kept[at].weight += count * lines / draws
        return draws

    def drawn(self) -> Iterator[Drawn]:
        """Yield the samples in the order of the log."""
        for one in sorted(self.kept, key=lambda kept: kept.row):
            yield Drawn(
                row=one.row,
                interaction=one.interaction,
                stratum=" / ".join(one.values),
                values=one.values,
                weight=one.weight,
            )
