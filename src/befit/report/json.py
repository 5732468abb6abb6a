"""The report as one JSON document with a published schema: the same numbers as every rendering."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from befit.analysis.causes_result import Causes
from befit.analysis.confounding import Change
from befit.analysis.results import Analysis
from befit.core.decision import Decision
from befit.core.record import Json, Record
from befit.core.run import Manifest
from befit.decide.diff import Changed
from befit.report.document import Document, ExampleTrial, Provenance
from befit.report.people import people_json
from befit.review.records import RecordSheet

SCHEMA = "befit/report/1"


class PairChanges(Record):
    """All that differs between two candidates."""

    a: str
    b: str
    changes: tuple[Change, ...]


class ReportJson(Record):
    """The whole report. Every estimate has value, low, high, level, n's, missing and method."""

    schema_: Literal["befit/report/1"] = Field(default="befit/report/1", alias="schema")
    title: str
    provenance: Provenance
    conclusion: tuple[str, ...]
    manifest: Manifest
    analysis: Analysis
    equality: dict[str, str]
    changes: tuple[PairChanges, ...]
    failures: tuple[ExampleTrial, ...]
    passes: tuple[ExampleTrial, ...]
    decision: Decision | None = None
    decision_record: str = ""
    policy_since: tuple[Changed, ...] = ()
    since: tuple[Changed, ...] = ()
    since_record: str = ""
    causes: tuple[Causes, ...] = ()
    """Searches for causes: settings, batching, a context that is cut."""
    people: tuple[dict[str, Json], ...] = ()
    """Review by people, study by study."""
    records: tuple[RecordSheet, ...] = ()
    """What was seen on single trials."""


def to_json(document: Document) -> dict[str, Any]:
    """Return the report as JSON values; secrets are not in it."""
    report = ReportJson(
        title=document.title,
        provenance=document.provenance,
        conclusion=document.conclusion,
        manifest=document.manifest,
        analysis=document.analysis,
        equality=document.equality,
        changes=tuple(
            PairChanges(a=a, b=b, changes=changes) for (a, b), changes in document.changes.items()
        ),
        failures=document.failures,
        passes=document.passes,
        decision=document.decision,
        decision_record=document.decision_record,
        policy_since=document.policy_since,
        since=document.since,
        since_record=document.since_record,
        causes=document.causes,
        people=tuple(people_json(result) for result in document.people),
        records=document.notes,
    )
    found: dict[str, Any] = report.model_dump(mode="json", by_alias=True)
    return found


def report_schema() -> dict[str, Any]:
    """Return the JSON Schema of the report."""
    schema: dict[str, Any] = ReportJson.model_json_schema(by_alias=True, mode="serialization")
    return schema
