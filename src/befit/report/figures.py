"""The figures of a report under their one name each: what the terminal and Markdown list.

The page's tables carry the same names (a test reads them off the reference of
metrics and looks for each in every form of the report).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from befit.analysis.engineering_detail import EngineeringDetail
from befit.analysis.fallback_edge import CHECKED_BEFORE
from befit.analysis.load_result import LoadResult
from befit.analysis.load_standing import throughput
from befit.analysis.results import Analysis, EngineeringCell, FieldCell, StabilityCell
from befit.charts.numbers import MISSING, Unit, estimate_text
from befit.core.estimate import Estimate
from befit.core.run import Manifest
from befit.report.document import Document
from befit.report.html_charts import per_thousand
from befit.report.load_charts import says
from befit.report.numbers import counts


def repeats(cell: object) -> bool:
    """Tell whether a cell with lists of samples is of a scenario that was repeated."""
    return not isinstance(cell, StabilityCell) or cell.agreement.value is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One metric of a cell of the analysis."""

    name: str
    attribute: str
    unit: Unit = "percent"

    def text(self, cell: object) -> str:
        """Return the figure of a cell with its interval; costs per call or task of a thousand."""
        found = getattr(cell, self.attribute)
        if not isinstance(found, Estimate):
            return f"{len(found):,}" if repeats(cell) else MISSING
        if found.value is None and self.unit == "usd":
            return f"{MISSING} ({found.method})" if found.method else MISSING
        text = estimate_text(
            per_thousand(found) if self.name.endswith("× 1,000") else found, self.unit
        )
        untold = getattr(cell, "untold_tries", 0) if self.unit == "usd" else 0
        return f"at least {text}, {untold:,} failed tries of unknown cost" if untold else text

    def stands_on(self, cell: object) -> str:
        """Return what the figure of a cell stands on, as samples x repeats; "" for none."""
        found = getattr(cell, self.attribute)
        return counts(found) if isinstance(found, Estimate) and found.n_samples else ""


def _figures(unit: Unit, *names: tuple[str, str]) -> tuple[Figure, ...]:
    return tuple(Figure(name=name, attribute=at, unit=unit) for at, name in names)


TIMES = (
    *_figures(
        "seconds",
        ("first_token_p50", "time to first token p50"),
        ("first_token_p95", "time to first token p95"),
        ("latency_p50", "latency p50"),
        ("latency_p95", "latency p95"),
        ("latency_p99", "latency p99"),
        ("scheduled_p50", "latency from due p50"),
        ("scheduled_p95", "latency from due p95"),
    ),
    *_figures(
        "tokens",
        ("input_tokens_p50", "input tokens p50"),
        ("input_tokens_p95", "input tokens p95"),
        ("output_tokens_p50", "output tokens p50"),
        ("output_tokens_p95", "output tokens p95"),
    ),
)
COSTS = _figures(
    "usd",
    ("cost_per_call", "cost per call, × 1,000"),
    ("cost_per_task", "cost per task, × 1,000"),
    ("cost_per_success", "cost per success, × 1,000"),
    ("cost_per_month", "cost per month"),
)
RATES = _figures(
    "percent",
    ("missing_rate", "missing rate"),
    ("timeout_rate", "timed out"),
    ("retry_rate", "retry rate"),
    ("truncation_rate", "truncation rate"),
)
LENGTHS = (
    *_figures(
        "seconds",
        ("first_output_p50", "time to first output token p50"),
        ("per_token_p50", "time per output token p50"),
    ),
    *_figures("number", ("verbosity", "verbosity")),
    *_figures("percent", ("chatter", "chatter")),
    *_figures(
        "number",
        ("latency_spread", "steadiness of latency"),
        ("tokens_spread", "steadiness of tokens"),
        ("cost_spread", "steadiness of cost"),
    ),
)
FIELDS = _figures(
    "percent",
    ("readable", "parse success rate"),
    ("accuracy", "field accuracy"),
    ("present", "presence"),
    ("value", "value right"),
    ("format", "format right"),
    ("missed", "miss rate"),
    ("marked_not_found", 'marked "not found"'),
    ("omitted", "omitted"),
    ("invented", "hallucination rate"),
    ("coverage", "coverage"),
    ("selective_accuracy", "selective accuracy"),
)
FIELD = FIELDS[1:5]
"""Those that are told of every single field."""
STABILITY = _figures(
    "percent",
    ("agreement", "result consistency rate"),
    ("pass_all", "pass^3"),
    ("accuracy", "accuracy"),
    ("composite", "accuracy × agreement"),
    ("flip_flops", "flip-flops"),
)
USABILITY = _figures(
    "percent",
    ("ceiling", "ceiling (pass@k)"),
    ("mean", "pass rate"),
    ("reliable", "reliable (pass^k)"),
)
OUTCOMES = {
    "wrong_format": "wrong format",
    "true_null_marked": 'marked "not found"',
    "unparsed": "not readable",
    "no_answer": "no answer",
}
"""Words for the labels of fields that do not read as they are."""


COUNTED_ONCE = (
    "Each failed trial is counted once, under the first failure mode of its scenario that fits."
)

WEIGHTED = (
    "The samples of {where} have weights: a rate marked as weighted is not its plain count, and "
    "every rate there is of the weighted samples."
)


def weighted(found: Estimate) -> str:
    """Return the mark of a rate that is of weighted samples: it is not the count beside it."""
    return " weighted" if found.method.startswith("weighted mean") else ""


def weighing(analysis: Analysis) -> str:
    """Return on which scenarios the samples have weights, in a sentence; empty where on none."""
    found = [
        name
        for row in analysis.scenario_rows
        if any(weighted(cell.estimate) for cell in row.cells)
        for name in row.scenarios
    ]
    return WEIGHTED.format(where=", ".join(dict.fromkeys(found))) if found else ""


CALL_LINES = (TIMES[:2], TIMES[2:5], TIMES[5:7], TIMES[7:], COSTS[:3], COSTS[3:], RATES)
DETAIL_LINES = (LENGTHS[:2], LENGTHS[2:4], LENGTHS[4:])
FIELD_LINES = (FIELDS[:2] + FIELDS[5:6], FIELDS[2:5], FIELDS[6:9], FIELDS[9:])
"""The same figures, those that belong together in one line."""


def overall(
    analysis: Analysis,
) -> list[tuple[EngineeringCell, EngineeringDetail | None]]:
    """Return what the calls of each candidate took and cost over all scenarios."""
    details = {d.candidate: d for d in analysis.engineering_details if d.scenario is None}
    return [
        (cell, details.get(cell.candidate))
        for cell in analysis.engineering
        if cell.scenario is None
    ]


def all_fields(analysis: Analysis) -> list[FieldCell]:
    """Return extraction, all fields of a scenario together."""
    return [cell for cell in analysis.fields if cell.field is None]


def each_field(analysis: Analysis) -> list[FieldCell]:
    """Return extraction field by field, the candidates of a field together."""
    own = [cell for cell in analysis.fields if cell.field is not None]
    places = list(dict.fromkeys((cell.scenario, cell.field) for cell in own))
    return sorted(own, key=lambda cell: places.index((cell.scenario, cell.field)))


def stands(figures: Sequence[Figure], cell: object) -> str:
    """Return what the first of some figures stands on that is measured."""
    return next(filter(None, (one.stands_on(cell) for one in figures)), "")


def repeated(analysis: Analysis) -> list[StabilityCell]:
    """Return the stability of scenarios that were repeated."""
    return [cell for cell in analysis.stability if cell.agreement.value is not None]


def joined(figures: Sequence[Figure], cell: object) -> str:
    """Return several figures of a cell in one text."""
    return " / ".join(texts(figures, cell))


def texts(figures: Sequence[Figure], cell: object) -> list[str]:
    """Return the figures of a cell; one that stands on other samples than `stands` tells its n."""
    first = stands(figures, cell)
    own = ((one.text(cell), one.stands_on(cell)) for one in figures)
    return [f"{text} ({n})" if n not in {"", first} else text for text, n in own]


def retention_text(kept: Estimate) -> str:
    """Return how much of the quality a fallback keeps; where that is all but open, that it is."""
    told = estimate_text(kept, "percent")
    if kept.value is None or not wide(kept):
        return told
    return f"not known well enough: {told}, {counts(kept)}"


def wide(kept: Estimate) -> bool:
    """Tell whether a share of the quality is bounded by no more than 100 points, or not at all."""
    return kept.low is None or kept.high is None or kept.high - kept.low > 1


def priced_as_asked(analysis: Analysis, manifest: Manifest) -> list[str]:
    """Say of whom another model answered than was asked for (a gateway's fallback): at whose price.

    A name that differs by a date or a number of a version is the same model.
    """
    asked = {entry.candidate.name: entry.candidate.model for entry in manifest.candidates}
    lines = []
    for cell in analysis.engineering:
        model = asked[cell.candidate]
        others = [name for name in cell.served_models if not _same_model(model, name)]
        if cell.scenario is None and others:
            lines.append(
                f"{cell.candidate} was answered by {', '.join(others)} where {model} was asked "
                f"for: its costs are at the price of {model}, whoever answered."
            )
    return lines


def _same_model(asked: str, served: str) -> bool:
    # Neither a provider's path before it nor a tag or digest of the weights is another model.
    names = [name.casefold().rpartition("/")[2].partition("@")[0] for name in (asked, served)]
    short, long = sorted((re.sub("[-:]latest$", "", name) for name in names), key=len)
    return long.startswith(short) and not re.search(r"[a-z]", long[len(short) :])


def beside(document: Document) -> list[str]:
    """Return what was measured beside the run, a line each: loads and fallbacks."""
    lines = [
        f"{result.candidate} on {result.scenario} under load: throughput "
        f"{_throughput(result)}; {says(result)[0]}"
        for result in document.loads
    ]
    for edge in document.edges:
        broken = f"breaks: {edge.breaks[0]}" if edge.breaks else "nothing known to break"
        kept = f"not measured: {CHECKED_BEFORE}"
        if edge.quality:
            kept = retention_text(edge.quality[0].retention)
        lines.append(f"{edge.primary} -> {edge.fallback}: {broken}; fallback retention {kept}")
    return lines


def _throughput(result: LoadResult) -> str:
    """Return the calls per second that kept the promise at the peak, and beside it all answered."""
    found, peak = throughput(result), result.peak
    if found.value is None or peak is None:
        return estimate_text(found, "number")
    if not result.promise.promised:
        return f"{estimate_text(found, 'number')} calls per second that were answered"
    return (
        f"{estimate_text(found, 'number')} calls per second that kept the promise (answered in "
        f"all: {estimate_text(peak.requests_per_second, 'number')})"
    )
