"""The stage that puts a stored run into one document: analysis plus quoted examples."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from itertools import combinations

from befit.analysis.confounding import changes
from befit.analysis.failures import EXAMPLES
from befit.core.landed import Fact
from befit.core.score import Score
from befit.pipeline.analysing import Analysed, analyse_run
from befit.pipeline.equality import describe
from befit.report.conclusion import conclusion
from befit.report.document import CUT, Document, ExampleTrial, Provenance, Quote
from befit.storage.workspace import Workspace

AUDITED = 6
"""Passes shown for an audit, per report."""
PROMPT_CUT = 2_000


def make_document(workspace: Workspace, run_id: str, *, full: bool = False) -> Document:
    """Return the document of a stored run.

    Args:
        workspace: where the run is.
        run_id: its id.
        full: show outputs and prompts whole instead of cut to size.

    Raises:
        StoreError: no such run.
    """
    analysed = analyse_run(workspace, run_id)
    manifest, analysis = analysed.manifest, analysed.analysis
    reader = _Examples(workspace, run_id, cut=None if full else CUT)
    pairs = combinations([entry.candidate for entry in manifest.candidates], 2)
    return Document(
        title=manifest.project,
        provenance=_provenance(workspace, analysed),
        conclusion=conclusion(analysis),
        manifest=manifest,
        analysis=analysis,
        equality={s.spec.name: describe(s.spec.equality) for s in manifest.scenarios},
        changes={(a.name, b.name): changes(a, b) for a, b in pairs},
        failures=tuple(reader.failures(analysed)),
        passes=tuple(reader.passes(analysed)),
    )


def _provenance(workspace: Workspace, analysed: Analysed) -> Provenance:
    manifest, frame = analysed.manifest, analysed.frame
    overall = [cell for cell in analysed.analysis.engineering if cell.scenario is None]
    known = [cell.total_cost for cell in overall if cell.total_cost is not None]
    return Provenance(
        project=manifest.project,
        run_id=manifest.id,
        label=manifest.label,
        created_at=manifest.created_at,
        status=workspace.status(manifest.id),
        befit_version=manifest.befit_version,
        n_candidates=len(manifest.candidates),
        n_scenarios=len(manifest.scenarios),
        n_samples=sum(s.n_samples for s in manifest.scenarios),
        n_trials=len(frame.candidate),
        spent=sum(known) if known else None,
        unknown_cost_calls=sum(cell.unknown_cost_calls for cell in overall),
        set_versions={s.spec.name: s.set_version for s in manifest.scenarios},
    )


class _Examples:
    """Reads whole trials for the few places that are quoted."""

    def __init__(self, workspace: Workspace, run_id: str, *, cut: int | None) -> None:
        self._workspace = workspace
        self._run_id = run_id
        self._cut = cut

    def failures(self, analysed: Analysed) -> Iterator[ExampleTrial]:
        """Yield up to five examples of each failure mode, candidate and scenario."""
        for count in analysed.analysis.failures:
            for sample_id, variant, repeat in count.examples[:EXAMPLES]:
                place = (count.candidate, count.scenario, sample_id, variant, repeat)
                found = self._at(place, mode=count.mode)
                if found is not None:
                    yield found

    def passes(self, analysed: Analysed) -> Iterator[ExampleTrial]:
        """Yield a few passes, drawn with a fixed seed so that a report can be made again."""
        frame = analysed.frame
        rows = [row for row, passed in enumerate(frame.passed) if passed >= 1]
        chosen = random.Random(frame.manifest.id).sample(rows, min(AUDITED, len(rows)))  # noqa: S311 - an audit sample, no secret
        for row in sorted(chosen):
            place = (
                frame.candidates[frame.candidate[row]],
                frame.scenarios[frame.scenario[row]],
                frame.samples[frame.sample[row]].id,
                frame.variants[frame.variant[row]],
                int(frame.repeat[row]),
            )
            found = self._at(place, mode="pass")
            if found is not None:
                yield found

    def _at(self, place: tuple[str, str, str, str, int], *, mode: str) -> ExampleTrial | None:
        candidate, scenario, sample_id, variant, repeat = place
        fact = self._fact(place)
        trial = None if fact is None else self._workspace.trial(fact.key_id)
        sample = self._workspace.sample(self._run_id, scenario, sample_id)
        if trial is None or sample is None:
            return None
        scores = self._workspace.score_details(self._run_id, *place)
        output = trial.output if trial.failure is None else f"[{trial.failure.kind}]"
        shown = output if self._cut is None else output[: self._cut]
        asked = [message.text for message in trial.transcript if message.role == "user"]
        prompt = asked[-1] if asked else ""
        return ExampleTrial(
            candidate=candidate,
            scenario=scenario,
            sample_id=sample_id,
            variant=variant,
            repeat=repeat,
            mode=mode,
            prompt=prompt if self._cut is None else prompt[:PROMPT_CUT],
            expected=sample.target,
            output=shown,
            cut=len(output) - len(shown),
            quotes=tuple(_quotes(scores)),
        )

    def _fact(self, place: tuple[str, str, str, str, int]) -> Fact | None:
        candidate, scenario, sample_id, variant, repeat = place
        for fact in self._workspace.slots(self._run_id, scenario, sample_id):
            if (fact.candidate, fact.variant, fact.repeat) == (candidate, variant, repeat):
                return fact
        return None


def _quotes(scores: Iterable[Score]) -> Iterator[Quote]:
    for score in scores:
        if score.scorer == "befit":
            continue
        yield Quote(
            scorer=score.scorer,
            name=score.name,
            part=score.part,
            value=score.value,
            label=score.label,
            rule=score.rule,
            span=score.span,
            answer=score.answer,
            explanation=score.explanation,
        )
