"""A run as columns: numpy arrays of codes and values, one entry per filled slot.

Everything in `analysis` reads this one shape (candidate, scenario, sample,
cluster, repeat, value, status). It is built once from the store's narrow rows,
in a stream, so that a million trials cost some tens of bytes each.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import compress, groupby
from operator import itemgetter

import numpy as np

from befit.analysis.answerers import Instance, Instances
from befit.analysis.columns import (
    Bools,
    Codes,
    Floats,
    Ints,
    answer_array,
    chunks,
    float_array,
    places,
)
from befit.analysis.places import Columns, Locator, pack_places
from befit.core.landed import Coded, Fact, Piece, SampleTraits, ScoreRow
from befit.core.run import Manifest
from befit.stats.weighted import unequal

STATUSES = ("ok", "candidate_failure", "missing")
OK, CANDIDATE_FAILURE, MISSING = 0, 1, 2
_CELL = itemgetter(Fact._fields.index("candidate"), Fact._fields.index("scenario"))
_TRAITS = slice(Fact._fields.index("scenario"), Fact._fields.index("variant"))


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
        """Return some rows as a frame of their own, without their scores."""
        return replace(
            self,
            **{name: getattr(self, name)[rows] for name in (*_INTS, "passed")},
            numbers={name: column[rows] for name, column in self.numbers.items()},
            metrics={},
        )

    def samples_of(self, rows: Ints) -> tuple[Ints, Ints]:
        """Return the samples of some rows, and each row's place among them."""
        samples = self.sample[rows]
        seen = np.bincount(samples, minlength=len(self.samples)) > 0
        return np.flatnonzero(seen), (np.cumsum(seen) - 1)[samples]

    def codes_in(self, scenario: str) -> dict[str, int]:
        """Return the codes of a scenario's samples by their ids."""
        home = self.scenarios.index(scenario)
        return {self.samples[code].id: int(code) for code in np.flatnonzero(self.home == home)}

    def clusters_of(self, samples: Ints) -> Ints | None:
        """Return the clusters of samples (with repetitions); None where all stand alone."""
        codes = self.cluster[samples]
        if not len(codes) or int(np.bincount(codes).max()) < 2:  # noqa: PLR2004 - alone
            return None
        return codes

    def weights_of(self, samples: Ints) -> Floats | None:
        """Return the weights of samples (with repetitions); None where all weigh the same."""
        return unequal(self.weight[samples])

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
    "first_token", "first_output_token", "latency", "per_token", "input_tokens", "output_tokens",
    "cost", "started_at", "calls", "waited", "retry_cost", "output_chars", "payload_chars",
    "untold_tries",
)  # fmt: skip
_INTS = (
    "candidate", "scenario", "sample", "variant", "repeat", "status", "failure", "reused",
    "attempts", "answer", "finish", "served", "instance",
)  # fmt: skip


class FrameBuilder:
    """Collects the store's rows into columns; `build` freezes them."""

    def __init__(self, manifest: Manifest) -> None:
        self._manifest = manifest
        self._candidates = Codes(c.candidate.name for c in manifest.candidates)
        self._scenarios = Codes(s.spec.name for s in manifest.scenarios)
        self._variants, self._failures = Codes([""]), Codes()
        self._finishes, self._served = Codes(), Codes()
        self._instances = Instances()
        self._statuses = Codes(STATUSES)
        self._traits: dict[str, dict[str, SampleTraits]] = {}
        self._samples: dict[int, dict[str, int]] = {}
        self._infos: list[SampleInfo] = []
        self._ints = {name: array("q") for name in _INTS}
        self._floats = {name: array("d") for name in (*NUMBERS, "passed")}

    def learn(self, traits: Iterable[SampleTraits]) -> None:
        """Take what samples say of themselves; the first word on a sample counts."""
        for one in traits:
            self._traits.setdefault(one.scenario, {}).setdefault(one.sample_id, one)

    def add(self, piece: Piece) -> None:
        """Append some filled slots of one candidate on one scenario."""
        column, size = piece.columns, len(piece.columns["sample_id"])
        ways = [column[name] for name in ("served_model", "system_fingerprint", "route")]
        values: dict[str, Ints] = {
            "candidate": np.full(size, self._candidates[piece.candidate], dtype=np.int64),
            "scenario": np.full(size, self._scenarios[piece.scenario], dtype=np.int64),
            "sample": self._sample_codes(piece),
            "variant": self._variants.array(column["variant"]),
            "repeat": np.array(column["repeat"], dtype=np.int64),
            "status": self._statuses.array(column["status"]),
            "failure": self._failures.array(column["failure"]),
            "reused": np.array(column["reused"], dtype=np.int64),
            "attempts": np.array(column["attempts"], dtype=np.int64),
            "answer": answer_array(column["answer"]),
            "finish": self._finishes.array(column["finish_reason"]),
            "served": self._served.array(column["served_model"]),
            "instance": self._instances.array(ways),
        }
        for name, numbers in values.items():
            self._ints[name].frombytes(numbers.tobytes())
        for name, held in self._floats.items():
            held.frombytes(float_array(column[name]).tobytes())

    def _sample_codes(self, piece: Piece) -> Ints:
        scenario, ids = self._scenarios[piece.scenario], piece.columns["sample_id"]
        if isinstance(ids, Coded):
            named = Piece(piece.candidate, piece.scenario, {"sample_id": ids.names})
            return self._sample_codes(named)[places(ids)]
        known = self._samples.setdefault(scenario, {})
        codes = list(map(known.get, ids))
        if None in codes:
            traits = self._traits.get(piece.scenario, {})
            for sample_id in dict.fromkeys(ids):
                if sample_id not in known:
                    known[sample_id] = len(self._infos)
                    self._infos.append(_info(scenario, sample_id, traits.get(sample_id)))
            codes = list(map(known.__getitem__, ids))
        return np.array(codes, dtype=np.int64)

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
        ints = {name: np.frombuffer(held, np.int64) for name, held in self._ints.items()}
        floats = {name: np.frombuffer(held, np.float64) for name, held in self._floats.items()}
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
            metrics=_metrics(locator, scores),
            locator=locator,
            clustered=bool(len(clusters)) and int(clusters.max()) + 1 < len(clusters),
            cluster=clusters,
            weight=np.array([info.weight for info in self._infos], dtype=np.float64),
            home=np.array([info.scenario for info in self._infos], dtype=np.int64),
        )


def _info(scenario: int, sample_id: str, traits: SampleTraits | None) -> SampleInfo:
    """Return what is known of a sample; of one that is not among the run's, the usual."""
    return SampleInfo(
        scenario=scenario,
        id=sample_id,
        cluster=traits.cluster if traits else None,
        kind=traits.kind if traits else "typical",
        language=traits.language if traits else None,
        weight=traits.weight if traits else 1.0,
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
            kept = rows >= 0
            code = locator.scenarios.get(key[0], -1), key[1]
            found.setdefault(code, []).append((rows[kept], float_array(group["value"])[kept]))
    return {key: _metric(pieces) for key, pieces in found.items()}


def _by_name(piece: Columns) -> Iterator[tuple[tuple[str, str], Columns]]:
    """Yield the whole-trial scores of each scenario and name; the store keeps them together."""
    told = [piece[name] for name in ("scenario", "name", "part")]
    if all(isinstance(column, Coded) and len(column.names) == 1 for column in told):
        yield (told[0][0], told[1][0]), piece  # packed scores are of whole trials
        return
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
    builder = FrameBuilder(manifest)
    for chunk in chunks(facts):
        rows: list[tuple[object, ...]] = [*chunk]
        builder.learn(SampleTraits._make(row[_TRAITS]) for row in rows)
        for (candidate, scenario), own in groupby(chunk, key=_CELL):
            columns = dict(zip(Fact._fields, zip(*own, strict=True), strict=True))
            builder.add(Piece(candidate, scenario, columns))
    columns_of = (
        dict(zip(ScoreRow._fields, zip(*chunk, strict=True), strict=True))
        for chunk in chunks(scores)
    )
    return builder.build(columns_of)


def build_frame_of_columns(
    manifest: Manifest,
    traits: Iterable[SampleTraits],
    pieces: Iterable[Piece],
    scores: Iterable[Columns],
) -> Frame:
    """Return the columns of a run from pieces of them; of scores by the names of `ScoreRow`."""
    builder = FrameBuilder(manifest)
    builder.learn(traits)
    for piece in pieces:
        builder.add(piece)
    return builder.build(scores)
