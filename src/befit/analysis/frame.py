"""A run as columns: numpy arrays of codes and values, one entry per filled slot.

Everything in `analysis` reads this one shape (candidate, scenario, sample,
cluster, repeat, value, status). It is built once from the store's narrow rows,
in a stream, so that a million trials cost some tens of bytes each.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from befit.core.landed import Fact, ScoreRow
from befit.core.run import Manifest

NAN = float("nan")
STATUSES = ("ok", "candidate_failure", "missing")
MISSING = 2

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]


class Codes:
    """Gives each distinct text a small number, in order of first appearance."""

    def __init__(self, known: Iterable[str] = ()) -> None:
        self.names: list[str] = []
        self._codes: dict[str, int] = {}
        for name in known:
            self.code(name)

    def code(self, name: str | None) -> int:
        """Return the number of `name`; -1 for None."""
        if name is None:
            return -1
        found = self._codes.get(name)
        if found is None:
            found = self._codes[name] = len(self.names)
            self.names.append(name)
        return found


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
    """Index into the frame's rows."""
    value: Floats


@dataclass(frozen=True, slots=True, kw_only=True)
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
    """first_token, first_output_token, latency, input_tokens, output_tokens, cost ... (nan)."""
    passed: Floats
    answer: Ints
    """Code of the canonical answer; -1 where there is none."""
    finish: Ints
    finishes: tuple[str, ...]
    served: Ints
    served_models: tuple[str, ...]
    metrics: dict[tuple[int, str], Metric]
    """Whole-trial scores by (scenario code, score name)."""

    def rows(self, *, candidate: int | None = None, scenario: int | None = None) -> Bools:
        """Return the mask of the rows of a candidate, a scenario, or both."""
        mask = np.ones(len(self.candidate), dtype=np.bool_)
        if candidate is not None:
            mask &= self.candidate == candidate
        if scenario is not None:
            mask &= self.scenario == scenario
        return mask


NUMBERS = (
    "first_token",
    "first_output_token",
    "latency",
    "input_tokens",
    "output_tokens",
    "reasoning_tokens",
    "cost",
    "output_chars",
    "started_at",
)


def _place(candidate: int, sample: int, variant: int, repeat: int) -> int:
    """Pack a slot's codes into one integer (14, 24, 12 and 12 bits)."""
    return ((candidate << 24 | sample) << 12 | variant) << 12 | repeat


class FrameBuilder:
    """Collects the store's rows into columns; `build` freezes them."""

    def __init__(self, manifest: Manifest) -> None:
        self._manifest = manifest
        self._candidates = Codes(c.candidate.name for c in manifest.candidates)
        self._scenarios = Codes(s.spec.name for s in manifest.scenarios)
        self._variants, self._failures = Codes([""]), Codes()
        self._answers, self._finishes, self._served = Codes(), Codes(), Codes()
        self._samples: dict[tuple[int, str], int] = {}
        self._infos: list[SampleInfo] = []
        names = ("candidate", "scenario", "sample", "variant", "repeat", "status", "failure")
        self._ints = {
            name: array("q")
            for name in (*names, "reused", "attempts", "answer", "finish", "served")
        }
        self._floats = {name: array("d") for name in (*NUMBERS, "passed")}
        self._places = array("q")
        self._metric_places: dict[tuple[int, str], array[int]] = {}
        self._metric_values: dict[tuple[int, str], array[float]] = {}

    def add_fact(self, fact: Fact) -> None:
        """Append one filled slot."""
        scenario = self._scenarios.code(fact.scenario)
        sample = self._sample(scenario, fact)
        candidate, variant = (
            self._candidates.code(fact.candidate),
            self._variants.code(fact.variant),
        )
        self._places.append(_place(candidate, sample, variant, fact.repeat))
        values = (
            ("candidate", candidate),
            ("scenario", scenario),
            ("sample", sample),
            ("variant", variant),
            ("repeat", fact.repeat),
            ("status", STATUSES.index(fact.status)),
            ("failure", self._failures.code(fact.failure)),
            ("reused", int(fact.reused)),
            ("attempts", fact.attempts),
            ("answer", self._answers.code(fact.answer)),
            ("finish", self._finishes.code(fact.finish_reason)),
            ("served", self._served.code(fact.served_model)),
        )
        for name, value in values:
            self._ints[name].append(value)
        for name in (*NUMBERS, "passed"):
            number = getattr(fact, name)
            self._floats[name].append(NAN if number is None else float(number))

    def add_score(self, row: ScoreRow) -> None:
        """Append one whole-trial score; scores of parts belong elsewhere and are passed over."""
        if row.part is not None:
            return
        scenario = self._scenarios.code(row.scenario)
        sample = self._samples.get((scenario, row.sample_id))
        if sample is None:
            return
        place = _place(
            self._candidates.code(row.candidate),
            sample,
            self._variants.code(row.variant),
            row.repeat,
        )
        key = (scenario, row.name)
        self._metric_places.setdefault(key, array("q")).append(place)
        value = NAN if row.value is None else float(row.value)
        self._metric_values.setdefault(key, array("d")).append(value)

    def _sample(self, scenario: int, fact: Fact) -> int:
        key = (scenario, fact.sample_id)
        found = self._samples.get(key)
        if found is None:
            found = self._samples[key] = len(self._infos)
            info = SampleInfo(
                scenario=scenario,
                id=fact.sample_id,
                cluster=fact.cluster,
                kind=fact.kind,
                language=fact.language,
                weight=fact.weight,
            )
            self._infos.append(info)
        return found

    def _metrics(self) -> dict[tuple[int, str], Metric]:
        """Find each score's row by its place: one sort, no dictionary of a million keys."""
        places = np.asarray(self._places, dtype=np.int64)
        order = np.argsort(places, kind="stable")
        ordered = places[order]
        found: dict[tuple[int, str], Metric] = {}
        for key, wanted in self._metric_places.items():
            asked = np.asarray(wanted, dtype=np.int64)
            at = np.minimum(np.searchsorted(ordered, asked), max(len(ordered) - 1, 0))
            hit = ordered[at] == asked
            values = np.asarray(self._metric_values[key], dtype=np.float64)
            found[key] = Metric(row=order[at[hit]], value=values[hit])
        return found

    def build(self) -> Frame:
        """Freeze the columns."""
        ints = {name: np.asarray(column, dtype=np.int64) for name, column in self._ints.items()}
        floats = {
            name: np.asarray(column, dtype=np.float64) for name, column in self._floats.items()
        }
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
            metrics=self._metrics(),
        )


def build_frame(manifest: Manifest, facts: Iterable[Fact], scores: Iterable[ScoreRow]) -> Frame:
    """Return the columns of a run from its narrow rows (facts first, then scores)."""
    builder = FrameBuilder(manifest)
    for fact in facts:
        builder.add_fact(fact)
    for score in scores:
        builder.add_score(score)
    return builder.build()
