"""Questions about pictures: text, numbers of charts, structure, several regions, places.

A target asks for one of these; `regions` joins several.

    "INVOICE 4711"                       text, by ANLS (a list: any of them)
    {number: 12.5, tolerance: 0.05}      a number, within a share of it
    {nodes: [a, b], edges: [[a, b]]}     a flow chart, answered as JSON
    {columns: [...], rows: [[...], ...]} a table, answered as JSON, CSV or Markdown
    {regions: ["Vienna", "12.50"]}       facts from different regions, all needed; `others`
                                         beside them: facts that belong to other answers
    {box: [0.1, 0.2, 0.3, 0.4]}          a box x1, y1, x2, y2, by IoU
    {inside: [0.1, 0.2, 0.3, 0.4]}       a point x, y inside of the box

A sample is tagged `text`, `structure` or `cross-region`, and `retrieval` (does this
caption fit, does this word occur) or `reasoning`. Each tag has a score of its own,
for a retrieval-style question hides what a reasoning-style one shows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from pydantic import Field

from befit.core.record import Json, Record
from befit.core.sample import Sample
from befit.core.score import Score
from befit.core.trial import Trial
from befit.scorers.checks import Check
from befit.scorers.evidence import version_of
from befit.scorers.vision_read import Seen, box_of, graph_of, number_of, point_of, table_of
from befit.scorers.vision_text import regions_of, text_of

NAME = "vision"
CODE_VERSION = "5"
CONTENT = ("text", "structure", "cross-region")
STYLE = ("retrieval", "reasoning")
_TAG_SCORES = {tag: f"vision_{tag.replace('-', '_')}" for tag in (*CONTENT, *STYLE)}


class VisionOptions(Record):
    """How much is enough; the target of a sample may say otherwise."""

    anls: float = Field(default=0.9, gt=0, le=1, description="Text is right from this ANLS on.")
    tolerance: float = Field(
        default=0.05, ge=0, lt=1, description="Numbers of charts may be off by this share."
    )
    iou: float = Field(default=0.5, gt=0, le=1, description="Boxes are right from this overlap on.")
    structure: float = Field(
        default=1.0, gt=0, le=1, description="A structure is right from this F1 on."
    )


class Vision:
    """One answer about a picture."""

    name = NAME
    primary = NAME
    names = (NAME, "anls", "structure_f1", "iou", *_TAG_SCORES.values())
    needs_target = True
    Options = VisionOptions

    def __init__(self, options: VisionOptions) -> None:
        self.options = options
        self.version = version_of(CODE_VERSION, options)

    def score(self, sample: Sample, trial: Trial) -> Sequence[Score]:
        """Return `vision`, its measure (`anls`, `structure_f1` or `iou`), one for each tag."""
        if sample.target is None:
            bad = Check(name=NAME, value=None, label="no_target", rule="the target")
            return [bad.score(NAME, self.version)]
        output = trial.output[:100_000]
        seen = self._seen(sample.target, output)
        if seen.value is not None and not output.strip():
            # No answer is 0 in the measure that the target asks for, too.
            degree = None if seen.measure is None else 0.0
            seen = replace(
                seen, value=0.0, label="no_answer", rule="an answer", degree=degree, why=None
            )
        whole = Check(
            name=NAME,
            value=seen.value,
            label=seen.label,
            rule=seen.rule,
            answer=seen.answer,
            span=seen.span,
            explanation=seen.why,
        )
        checks = [whole]
        if seen.measure is not None:
            checks.append(whole._replace(name=seen.measure, value=seen.degree, explanation=None))
        for tag, name in _TAG_SCORES.items():
            if tag in sample.tags:
                checks.append(whole._replace(name=name, answer=None, span=None))
        for part, value in seen.parts:
            label = "found" if value == 1.0 else "missed"
            checks.append(Check(name="region", value=value, label=label, rule=seen.rule, part=part))
        return [check.score(NAME, self.version) for check in checks]

    def _seen(self, target: Json, output: str) -> Seen:
        if not isinstance(target, Mapping):
            return text_of(target, output, least=self.options.anls)
        if "regions" in target:
            return regions_of(target["regions"], output, others=target.get("others"))
        if "number" in target:
            return number_of(target, output, share=self.options.tolerance)
        if "nodes" in target or "edges" in target:
            return graph_of(target, output, least=self.options.structure)
        if "columns" in target or "rows" in target:
            return table_of(target, output, least=self.options.structure)
        if "box" in target:
            return box_of(target["box"], output, least=self.options.iou)
        if "inside" in target:
            return point_of(target["inside"], output)
        if "text" in target:
            return text_of(target["text"], output, least=self.options.anls)
        known = "text, number, nodes and edges, columns and rows, regions, box, inside"
        return Seen(value=None, label="bad_target", rule=f"the target asks one of: {known}")
