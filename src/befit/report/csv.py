"""The report as CSV, one file per table: the numbers of the JSON report, flat.

An estimate becomes a column for its value and one each for its limits, its
counts and its method, so that no figure leaves without what it stands on. Text
that a spreadsheet would take for a formula is marked as text, and characters nobody sees are shown.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

from befit.charts.text import plain
from befit.core.decision import Decision
from befit.core.estimate import Estimate
from befit.core.spreadsheet import marked
from befit.report.document import Document
from befit.report.tasks import task_tables

Row = dict[str, Any]
_ENDS = ("low", "high", "level", "n_samples", "n_trials", "n_missing", "method")


def tables(document: Document) -> dict[str, str]:
    """Return file name -> CSV text, for every table that has a row."""
    made = {name: [dict(_flat(one)) for one in rows] for name, rows in _rows(document).items()}
    return {f"{name}.csv": _text(rows) for name, rows in made.items() if rows}


def _rows(document: Document) -> dict[str, Iterable[object]]:
    analysis = document.analysis
    matrix = (*analysis.dimension_rows, *analysis.scenario_rows, *analysis.kind_rows)
    found: dict[str, Iterable[object]] = {
        "matrix": [
            {
                "level": row.level, "row": row.key, "title": row.title, "metric": row.metric,
                "critical": row.critical, "threshold": row.threshold, "cell": cell,
            }
            for row in matrix for cell in row.cells
        ],
        "differences": [pair for row in matrix for pair in row.differences],
        "quality_and_cost": [
            {
                "scenario": table.row.scenarios[0], "metric": table.row.metric,
                "candidate": one.candidate, "letters": one.cell.letters,
                "quality": one.cell.estimate,
                "usd_per_task": one.engineering.cost_per_task,
                "usd_per_success": one.engineering.cost_per_success,
                "untold_tries": one.engineering.untold_tries,
                "input_tokens_p50": one.engineering.input_tokens_p50,
                "output_tokens_p50": one.engineering.output_tokens_p50,
                "latency_p50": one.engineering.latency_p50,
                "latency_p95": one.engineering.latency_p95,
            }
            for table in task_tables(analysis) for one in table.rows
        ],
        "further_scores": analysis.further,
        "stability": analysis.stability,
        "usability": analysis.usability,
        "engineering": analysis.engineering,
        "fields": analysis.fields,
        "failures": analysis.failures,
        "findings": analysis.findings,
    }  # fmt: skip
    return found if document.decision is None else {**found, **_decided(document.decision)}


def _decided(decision: Decision) -> dict[str, Iterable[object]]:
    standings = [
        {"tier": tier.tier, "serves": one.candidate == tier.candidate, "standing": one}
        for tier in decision.tiers
        for one in tier.standings
    ]
    found: dict[str, Iterable[object]] = {
        "decision": [
            {f.name: getattr(tier, f.name) for f in fields(tier) if f.name != "standings"}
            for tier in decision.tiers
        ],
        "standings": standings,
        "gates": decision.verdicts,
        "constraints": decision.constraints,
        "funnel": [
            {"layer": layer.name, "status": layer.status, "candidate": name, "why": why}
            for layer in decision.funnel
            for name, why in layer.left
        ],
    }
    if decision.sensitivity is not None:
        found["flips"] = decision.sensitivity.flips
        found["more_evidence"] = decision.sensitivity.evidence
    if decision.public is not None:
        public = decision.public
        found["leaderboard"] = [
            {"leaderboard": public.leaderboard, "candidate": name, "public": value,
             "own_pass_rate": public.own.get(name)}
            for name, value in public.public.items()
        ]  # fmt: skip
    return found


def _flat(one: object, prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Yield column and value; what is nested takes the name of its place before its own."""
    items: Iterable[tuple[str, Any]]
    if is_dataclass(one):
        items = [(field.name, getattr(one, field.name)) for field in fields(one)]
    else:
        items = one.items() if isinstance(one, Mapping) else ()
    for name, value in items:
        column = f"{prefix}{name}"
        if isinstance(value, Estimate):
            yield column, value.value
            yield from ((f"{column}_{end}", getattr(value, end)) for end in _ENDS)
        elif is_dataclass(value):
            # the wrapping word of a table says nothing in its columns
            yield from _flat(value, "" if name in {"cell", "standing"} else f"{column}_")
        else:
            yield column, _cell(value)


def _cell(value: object) -> object:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float) or value is None:
        return value
    if isinstance(value, str):
        return marked(plain(value))
    if isinstance(value, list | tuple) and all(isinstance(part, str) for part in value):
        return _cell("; ".join(value))
    if hasattr(value, "model_dump"):
        return _cell(str(value))
    return _cell(json.dumps(value, default=str))


def _text(rows: list[Row]) -> str:
    columns = list(dict.fromkeys(name for row in rows for name in row))
    out = io.StringIO()
    writer = csv.DictWriter(out, columns, restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()
