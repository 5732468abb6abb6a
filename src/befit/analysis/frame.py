"""A run as columns: numpy arrays of codes and values, one entry per filled slot.

Everything in `analysis` reads this one shape (candidate, scenario, sample,
cluster, repeat, value, status). It is built once from the store's narrow rows,
in a stream, so that a million trials cost some tens of bytes each.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import compress
from typing import Any, NamedTuple

import numpy as np

from befit.analysis.columns import (
    Bools,
    Codes,
    Floats,
    Ints,
    Texts,
    answer_code,
    as_float_array,
    as_ints,
    chunks,
    extend_floats,
)
from befit.analysis.places import Columns, Locator, pack_places
from befit.core.landed import Fact, ScoreRow
from befit.core.route import read_route
from befit.core.run import Manifest

STATUSES = ("ok", "candidate_failure", "missing")
OK, CANDIDATE_FAILURE, MISSING = 0, 1, 2


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleInfo:
    """What the analysis needs to know of a sample."""

    scenario: int
    id: str
    cluster: str | None
    kind: str
    language: str | None
    weight: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric:
    """One score name as columns; rows are trials in which it was given (None = nan)."""

    row: Ints
    """Index into the frame's rows, each at most once: the first scorer of a name counts."""
    value: Floats


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Frame:
    """The columns of one run. All arrays have one entry per filled slot, in the store's order."""

    manifest: Manifest
    candidates: tuple[str, ...]
    scenarios: tuple[str, ...]
    samples: tuple[SampleInfo, ...]
    candidate: Ints
    scenario: Ints
    sample: Ints
    variant: Ints
    variants: tuple[str, ...]
    repeat: Ints
    status: Ints
    failure: Ints
    failures: tuple[str, ...]
    reused: Bools
    attempts: Ints
    numbers: dict[str, Floats]
    """Times (seconds), tokens, costs (USD), characters, started_at (epoch); nan where unknown."""
    passed: Floats
    answer: Ints
    """Code of the canonical answer; -1 where there is none."""
    finish: Ints
    finishes: tuple[str, ...]
    served: Ints
    served_models: tuple[str, ...]
    instance: Ints
    """Code of who answered, by which way; -1 where nothing was told."""
    instances: tuple[Instance, ...]
    keys: Texts
    """Id of the whole trial of each row."""
    metrics: dict[tuple[int, str], Metric]
    """Whole-trial scores by (scenario code, score name)."""
    locator: Locator
    clustered: bool
    """Whether some cluster holds more than one sample."""
    cluster: Ints
    """Cluster code of each sample (by sample code); a sample without one is its own."""
    weight: Floats
    """Weight of each sample (by sample code)."""
    home: Ints
    """Scenario code of each sample (by sample code)."""

    def rows(self, *, candidate: int | None = None, scenario: int | None = None) -> Bools:
        """Return the mask of the rows of a candidate, a scenario, or both."""
        mask = np.ones(len(self.candidate), dtype=np.bool_)
        if candidate is not None:
            mask &= self.candidate == candidate
        if scenario is not None:
            mask &= self.scenario == scenario
        return mask

    def part(self, rows: Ints | slice) -> Frame:
        """Return some rows as a frame of their own, without their keys and scores."""
        return replace(
            self,
            **{name: getattr(self, name)[rows] for name in (*_INTS, "passed")},
            numbers={name: column[rows] for name, column in self.numbers.items()},
            keys=Texts(),
            metrics={},
        )

    def samples_of(self, rows: Ints) -> tuple[Ints, Ints]:
        """Return the samples of some rows, and each row's place among them."""
        samples = self.sample[rows]
        seen = np.bincount(samples, minlength=len(self.samples)) > 0
        return np.flatnonzero(seen), (np.cumsum(seen) - 1)[samples]

    def clusters_of(self, samples: Ints) -> Ints | None:
        """Return the clusters of samples (with repetitions); None where all stand alone."""
        codes = self.cluster[samples]
        if not len(codes) or int(np.bincount(codes).max()) < 2:  # noqa: PLR2004 - alone
            return None
        return codes

    def place(self, row: int) -> tuple[str, str, str, str, int]:
        """Return candidate, scenario, sample id, variant and repeat of a row."""
        return (
            self.candidates[self.candidate[row]],
            self.scenarios[self.scenario[row]],
            self.samples[self.sample[row]].id,
            self.variants[self.variant[row]],
            int(self.repeat[row]),
        )


NUMBERS = (
    "first_token", "first_output_token", "latency", "per_token", "output_tokens", "cost",
    "started_at", "calls", "waited", "retry_cost", "output_chars", "payload_chars",
)  # fmt: skip
_INTS = (
    "candidate", "scenario", "sample", "variant", "repeat", "status", "failure", "reused",
    "attempts", "answer", "finish", "served", "instance",
)  # fmt: skip


class Instance(NamedTuple):
    """Who answered, by what the provider says of itself; None where it says nothing."""

    served_model: str | None
    system_fingerprint: str | None
    provider: str | None
    region: str | None
    session: str | None


class _Instances(dict[tuple[str | None, str | None, str | None], int]):
    """The code of a served model, system fingerprint and route; each is read once."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[Instance] = []

    def __missing__(self, told: tuple[str | None, str | None, str | None]) -> int:
        instance = Instance(*(part or None for part in told[:2]), *read_route(told[2]))
        self[told] = code = len(self.found) if any(instance) else -1
        if code >= 0:
            self.found.append(instance)
        return code


class FrameBuilder:
    """Collects the store's rows into columns; `build` freezes them."""

    def __init__(self, manifest: Manifest) -> None:
        self._manifest = manifest
        self._candidates = Codes(c.candidate.name for c in manifest.candidates)
        self._scenarios = Codes(s.spec.name for s in manifest.scenarios)
        self._variants, self._failures = Codes([""]), Codes()
        self._finishes, self._served = Codes(), Codes()
        self._instances = _Instances()
        self._statuses = Codes(STATUSES)
        self._samples: dict[tuple[int, str], int] = {}
        self._infos: list[SampleInfo] = []
        self._ints = {name: array("q") for name in _INTS}
        self._floats = {name: array("d") for name in (*NUMBERS, "passed")}
        self._keys = Texts()

    def add(self, column: Columns) -> None:
        """Append some filled slots: columns by the names of `Fact`."""
        scenarios = list(self._scenarios.of(column["scenario"]))
        keys = list(zip(scenarios, column["sample_id"], strict=True))
        codes = [self._samples.get(key, -1) for key in keys]
        if -1 in codes:
            self._new_samples(keys, column)
            codes = [self._samples[key] for key in keys]
        values: dict[str, Iterable[int]] = {
            "candidate": self._candidates.of(column["candidate"]),
            "scenario": scenarios,
            "sample": codes,
            "variant": self._variants.of(column["variant"]),
            "repeat": column["repeat"],
            "status": self._statuses.of(column["status"]),
            "failure": self._failures.of(column["failure"]),
            "reused": column["reused"],
            "attempts": column["attempts"],
            "answer": map(answer_code, column["answer"]),
            "finish": self._finishes.of(column["finish_reason"]),
            "served": self._served.of(column["served_model"]),
            "instance": map(
                self._instances.__getitem__,
                zip(
                    column["served_model"],
                    column["system_fingerprint"],
                    column["route"],
                    strict=True,
                ),
            ),
        }
        for name, numbers in values.items():
            self._ints[name].extend(numbers)
        for name in (*NUMBERS, "passed"):
            extend_floats(self._floats[name], column[name])
        self._keys.extend(column["key_id"])

    def _new_samples(self, keys: Sequence[tuple[int, str]], column: Columns) -> None:
        traits = (column[name] for name in ("cluster", "kind", "language", "weight"))
        for key, cluster, kind, language, weight in zip(keys, *traits, strict=True):
            if key in self._samples:
                continue
            self._samples[key] = len(self._infos)
            self._infos.append(
                SampleInfo(
                    scenario=key[0],
                    id=key[1],
                    cluster=cluster,
                    kind=kind,
                    language=language,
                    weight=weight,
                )
            )

    def _locator(self, ints: dict[str, Ints]) -> Locator:
        places = pack_places(ints["candidate"], ints["sample"], ints["variant"], ints["repeat"])
        order = np.argsort(places, kind="stable")
        return Locator(
            candidates=self._candidates,
            scenarios=self._scenarios,
            variants=self._variants,
            samples=self._samples,
            ordered=places[order],
            rows=order,
        )

    def build(self, scores: Iterable[Columns] = ()) -> Frame:
        """Freeze the columns and put the whole-trial scores beside them."""
        ints = {name: as_ints(column) for name, column in self._ints.items()}
        floats = {name: as_float_array(column) for name, column in self._floats.items()}
        locator = self._locator(ints)
        clusters = _clusters(self._infos)
        return Frame(
            manifest=self._manifest,
            candidates=tuple(self._candidates.names),
            scenarios=tuple(self._scenarios.names),
            samples=tuple(self._infos),
            candidate=ints["candidate"],
            scenario=ints["scenario"],
            sample=ints["sample"],
            variant=ints["variant"],
            variants=tuple(self._variants.names),
            repeat=ints["repeat"],
            status=ints["status"],
            failure=ints["failure"],
            failures=tuple(self._failures.names),
            reused=ints["reused"].astype(np.bool_),
            attempts=ints["attempts"],
            numbers={name: floats[name] for name in NUMBERS},
            passed=floats["passed"],
            answer=ints["answer"],
            finish=ints["finish"],
            finishes=tuple(self._finishes.names),
            served=ints["served"],
            served_models=tuple(self._served.names),
            instance=ints["instance"],
            instances=tuple(self._instances.found),
            keys=self._keys,
            metrics=_metrics(locator, scores),
            locator=locator,
            clustered=bool(len(clusters)) and int(clusters.max()) + 1 < len(clusters),
            cluster=clusters,
            weight=np.array([info.weight for info in self._infos], dtype=np.float64),
            home=np.array([info.scenario for info in self._infos], dtype=np.int64),
        )


def _clusters(infos: Sequence[SampleInfo]) -> Ints:
    codes: dict[str | int, int] = {}
    keys = (at if info.cluster is None else info.cluster for at, info in enumerate(infos))
    return np.array([codes.setdefault(key, len(codes)) for key in keys], dtype=np.int64)


def _metrics(locator: Locator, scores: Iterable[Columns]) -> dict[tuple[int, str], Metric]:
    """Return the whole-trial scores as columns; scores of parts belong elsewhere.

    Two scorers of a scenario may give a score of one name; the first one counts.
    """
    found: dict[tuple[int, str], list[tuple[Ints, Floats]]] = {}
    for piece in scores:
        for key, group in _by_name(piece):
            rows = locator.locate_columns(group)
            values = array("d")
            extend_floats(values, group["value"])
            kept = rows >= 0
            code = locator.scenarios.get(key[0], -1), key[1]
            found.setdefault(code, []).append((rows[kept], as_float_array(values)[kept]))
    return {key: _metric(pieces) for key, pieces in found.items()}


def _by_name(piece: Columns) -> Iterator[tuple[tuple[str, str], Columns]]:
    """Yield the whole-trial scores of each scenario and name; the store keeps them together."""
    keys = list(zip(piece["scenario"], piece["name"], strict=True))
    whole = [part is None for part in piece["part"]]
    kinds = dict.fromkeys(keys)
    if len(kinds) == 1 and all(whole):
        yield keys[0], piece
        return
    for kind in kinds:
        chosen = [key == kind and entire for key, entire in zip(keys, whole, strict=True)]
        if any(chosen):
            yield kind, {name: list(compress(piece[name], chosen)) for name in ScoreRow._fields}


def _metric(pieces: Sequence[tuple[Ints, Floats]]) -> Metric:
    rows, first = np.unique(np.concatenate([rows for rows, _ in pieces]), return_index=True)
    return Metric(row=rows, value=np.concatenate([values for _, values in pieces])[first])


def build_frame(manifest: Manifest, facts: Iterable[Fact], scores: Iterable[ScoreRow]) -> Frame:
    """Return the columns of a run from its narrow rows."""
    return build_frame_of_columns(
        manifest, _columns(Fact._fields, facts), _columns(ScoreRow._fields, scores)
    )


def _columns(names: Sequence[str], rows: Iterable[tuple[Any, ...]]) -> Iterator[Columns]:
    for chunk in chunks(rows):
        yield dict(zip(names, zip(*chunk, strict=True), strict=True))


def build_frame_of_columns(
    manifest: Manifest,
    columns: Iterable[Columns],
    scores: Iterable[Columns],
) -> Frame:
    """Return the columns of a run from pieces of them, by the names of `Fact` and `ScoreRow`."""
    builder = FrameBuilder(manifest)
    for column in columns:
        builder.add(column)
    return builder.build(scores)
