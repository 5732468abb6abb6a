"""What was measured beside runs, kept in the workspace: load, fallback checks, causes.

They are records, written once. Candidates are told by fingerprint, never by
name, so a result of another prompt, model or parameter is never read as this
one's. `outside_figures` gives a decision what no run holds: throughput at peak
and the quality that a fallback keeps.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime
from functools import cache
from typing import TypeVar

from pydantic import TypeAdapter

from befit.analysis.causes_result import Causes
from befit.analysis.fallback_edge import CHECKED_BEFORE, Edge
from befit.analysis.fallback_quality import FallbackQuality
from befit.analysis.load_result import LoadResult
from befit.analysis.load_standing import standing, throughput
from befit.core.estimate import Estimate, not_measured
from befit.core.run import Manifest
from befit.errors import StoreError
from befit.storage.records import Kind, Written
from befit.storage.workspace import Workspace

THROUGHPUT, RETENTION = "throughput", "fallback_retention"
_T = TypeVar("_T")


@cache
def _load_form() -> TypeAdapter[LoadResult]:
    """Made when it is first needed: it takes longer than reading a record."""
    return TypeAdapter(LoadResult)


@cache
def _edge_form() -> TypeAdapter[Edge]:
    return TypeAdapter(Edge)


Figures = dict[tuple[str, str, str], Estimate]
"""(metric, scenario, candidate) -> estimate, as `decide_run(outside=...)` takes them."""


def keep_load(workspace: Workspace, result: LoadResult) -> Written:
    """Write a load measurement of our own down for good."""
    body = _load_form().dump_python(result, mode="json")
    return workspace.records.write(
        "load", body, run_id="", created_at=result.created_at, name=result.fingerprint
    )


def keep_edges(workspace: Workspace, edges: Iterable[Edge], *, now: datetime) -> list[Written]:
    """Write the checks of some edges down for good, without the words of models."""
    return [
        workspace.records.write(
            "fallback",
            _edge_form().dump_python(edge.silent, mode="json"),
            run_id=edge.run_id,
            created_at=edge.created_at or now.isoformat(timespec="seconds"),
            name=edge.primary_print,
        )
        for edge in edges
    ]


@cache
def _causes_form() -> TypeAdapter[Causes]:
    return TypeAdapter(Causes)


def keep_causes(workspace: Workspace, causes: Causes) -> Written:
    """Write a search for causes down for good."""
    body = _causes_form().dump_python(causes, mode="json")
    return workspace.records.write(
        "causes", body, run_id="", created_at=causes.created_at, name=causes.fingerprint
    )


def causes_kept(workspace: Workspace) -> frozenset[str]:
    """Return when the searches began that are written down."""
    return frozenset(written.created_at for written in workspace.records.all("causes"))


def causes_found(workspace: Workspace, manifest: Manifest) -> tuple[Causes, ...]:
    """Return the newest search of each candidate and scenario of a run."""
    names = {entry.spec.name for entry in manifest.scenarios}
    found: dict[tuple[str, str], Causes] = {}
    for entry in manifest.candidates:
        for written in _records(workspace, "causes", entry.fingerprint):
            causes = _read(_causes_form(), written)
            if causes.scenario in names:
                key = (entry.candidate.name, causes.scenario)
                found.setdefault(key, replace(causes, candidate=entry.candidate.name))
    return tuple(found.values())


def read_load(written: Written) -> LoadResult:
    """Return the load measurement of a record; StoreError for one of another befit's form."""
    return _read(_load_form(), written)


def read_edge(written: Written) -> Edge:
    """Return the fallback check of a record; StoreError for one of another befit's form."""
    return _read(_edge_form(), written)


def _read(form: TypeAdapter[_T], written: Written) -> _T:
    try:
        return form.validate_python(written.body)
    except ValueError as error:
        raise StoreError(
            f"record {written.id} cannot be read by this befit",
            why=str(error).splitlines()[0],
            do="read it with the befit that made it, or measure again",
        ) from error


def load_results(workspace: Workspace, manifest: Manifest) -> tuple[LoadResult, ...]:
    """Return the load measurement that stands for each candidate and scenario of a run.

    The newest that may be used (`load_standing`), only of the same candidate and the same
    prompt, tools and caps; in the order of the run's candidates.
    """
    found: list[LoadResult] = []
    for entry in manifest.candidates:
        prompt = entry.candidate.prompt
        wanted = {s.spec.name: s.spec.execution_fingerprint(prompt) for s in manifest.scenarios}
        kept: dict[str, list[Written]] = {}
        for written in _records(workspace, "load", entry.fingerprint):
            if wanted.get(written.body["scenario"]) == written.body["execution"]:
                kept.setdefault(written.body["scenario"], []).append(written)
        found += [one for rows in kept.values() if (one := standing(map(read_load, rows)))]
    return tuple(found)


def checked_edges(workspace: Workspace, manifest: Manifest) -> tuple[Edge, ...]:
    """Return the newest check of each edge between candidates of a run.

    What the newest left out (a check without `--measure`) stands as an earlier one found it.
    """
    prints = {entry.fingerprint for entry in manifest.candidates}
    found: dict[tuple[str, str], Edge] = {}
    for entry in manifest.candidates:
        for written in _records(workspace, "fallback", entry.fingerprint):
            ends = (written.body["primary_print"], written.body["fallback_print"])
            if ends[1] in prints:
                older = read_edge(written)
                found[ends] = _filled(found[ends], older) if ends in found else older
    return tuple(found.values())


def _filled(edge: Edge, older: Edge) -> Edge:
    quality, run_id = (edge.quality, edge.run_id) if edge.quality else (older.quality, older.run_id)
    return replace(
        edge,
        probed=edge.probed or older.probed,
        faults=edge.faults or older.faults,
        quality=quality,
        run_id=run_id,
    )


def _records(workspace: Workspace, kind: Kind, name: str) -> list[Written]:
    return workspace.records.all(kind, name=name) if name else []


def outside_figures(workspace: Workspace, manifest: Manifest) -> Figures:
    """Return what gates may ask that no run holds, for every candidate it was measured of.

    `throughput`: calls per second that kept the promise (all answers, where none
    was stated) at the peak of the newest load measurement that may be used. `fallback_retention`:
    the share of its pass rate that the candidate's best checked fallback keeps,
    paired by sample; an edge that breaks is no fallback.
    """
    names = {entry.fingerprint: entry.candidate.name for entry in manifest.candidates}
    found: Figures = {}
    for result in load_results(workspace, manifest):
        key = (THROUGHPUT, result.scenario, names[result.fingerprint])
        found[key] = throughput(result)
    by_primary: dict[str, list[Edge]] = {}
    for edge in checked_edges(workspace, manifest):
        by_primary.setdefault(edge.primary_print, []).append(edge)
    for primary, edges in by_primary.items():
        for scenario in (entry.spec.name for entry in manifest.scenarios):
            key = (RETENTION, scenario, names[primary])
            found[key] = _retention(edges, scenario, alone=len(manifest.scenarios) == 1)
    return found


def _retention(edges: list[Edge], scenario: str, *, alone: bool) -> Estimate:
    """Return the retention of the best fallback that does not break, by its lower limit."""
    whole = [edge for edge in edges if not edge.breaks]
    if not whole:
        return not_measured(f"every fallback checked breaks: {edges[0].breaks[0]}")
    rows = [row for edge in whole if (row := _row(edge, scenario, alone=alone)) is not None]
    if not rows:
        return not_measured(CHECKED_BEFORE)
    known = [row.retention for row in rows if row.retention.value is not None]
    return max(known, key=lambda estimate: estimate.low or 0.0) if known else rows[0].retention


def _row(edge: Edge, scenario: str, *, alone: bool) -> FallbackQuality | None:
    """Return an edge's row of one scenario; over a single scenario the row over all is it."""
    named = next((row for row in edge.quality if row.scenario == scenario), None)
    whole = next((row for row in edge.quality if row.scenario is None), None)
    return named if named is not None or not alone else whole
