"""Documents of any size for the tests of the report: synthetic trials through the real analysis."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from decimal import Decimal
from itertools import combinations

import report_measured
from befit.analysis.analyse import analyse
from befit.analysis.confounding import changes
from befit.analysis.failures import Failed
from befit.analysis.frame import Frame, build_frame
from befit.core.candidate import Candidate, Prompt, Sampling
from befit.core.decision import Decision
from befit.core.dimension import DIMENSIONS
from befit.core.landed import Fact, ScoreRow
from befit.core.policy import Gate, Policy
from befit.core.price import Price
from befit.core.run import Manifest, ManifestCandidate, ManifestScenario, RunSettings
from befit.core.sample import ScorerSpec
from befit.core.scenario import Accept, FailureMode, ScenarioSpec
from befit.core.tier import Tier
from befit.pipeline.deciding import decide_frame
from befit.report.conclusion import conclusion
from befit.report.document import CUT, Document, ExampleTrial, Provenance, Quote

NAMES = ("alpha-large", "alpha-small", "beta-terse", "gamma-fewshot", "delta", "epsilon-mini")
FIELDS = ("issuer", "due_date", "total", "currency", "vat_id")
MODES = ("wrong_format", "wrong_value", "refusal")

POLICY = Policy(max_models=2, gates=(Gate(metric="latency_p95", ceiling=60),))


@dataclass(frozen=True, kw_only=True)
class Shape:
    """What a synthetic run looks like."""

    names: Sequence[str] = NAMES[:4]
    dimensions: int = 4
    samples: int = 60
    repeats: int = 3
    answers: str = "ok"
    """`ok`, `missing` (every trial lost) or `none` (not a trial was run)."""
    priced: bool = True
    prompt: str = "Total of this invoice?\nInvoice 118, due 2025-01-01. Total 20 EUR."
    output: str = "The due date is 2025-01-01 and the total is 20."
    sample_ids: str = "invoice-{0}"
    scenario_names: Sequence[str] = ()
    extraction: bool = True
    title: str = "invoice-desk"
    label: str = "autumn"
    system: str = "Answer with the value only."
    examples: int = 2
    """Failure examples per candidate, scenario and mode."""
    decided: bool = False
    """Whether a decision was made on the run."""
    policy: Policy = POLICY
    """By which policy it was."""
    measured: bool = False
    """Whether load and fallbacks were measured beside it."""
    targets: dict[str, str] = field(default_factory=lambda: {"total": "20", "currency": "EUR"})


def _specs(shape: Shape) -> list[ScenarioSpec]:
    slugs = [d.slug for d in DIMENSIONS if d.slug != "extraction"]
    slugs = ["extraction", *slugs] if shape.extraction else slugs
    slugs += [f"own-{i}" for i in range(max(0, shape.dimensions - len(slugs)))]
    found = []
    for i, slug in enumerate(slugs[: shape.dimensions]):
        name = shape.scenario_names[i] if i < len(shape.scenario_names) else f"{slug}-desk"
        found.append(
            ScenarioSpec(
                name=name,
                dimension=slug,
                tier="high-volume" if i % 2 == 0 else "careful",
                template="Total of this invoice?\n{input}",
                scorers=(ScorerSpec(name="fields" if slug == "extraction" else "match"),),
                repeats=shape.repeats,
                success="The value stands in the answer and nothing else does.",
                failure_modes=tuple(FailureMode(name=mode, label=mode) for mode in MODES),
                accept=Accept(pass_rate=0.8) if i < 2 else Accept(),
                critical=i == 0,
            )
        )
    return found


def _manifest(shape: Shape) -> Manifest:
    price = Price(
        input=Decimal("0.15"), output=Decimal("0.60"), as_of=date(2026, 9, 1), source="price list"
    )
    candidates = [
        Candidate(
            name=name,
            target="openai",
            model=f"{name}-2026-09",
            base_url="http://127.0.0.1:1/v1",
            prompt=Prompt(system=shape.system, shots=2 if i == 3 else 0),
            sampling=Sampling(temperature=round(0.2 * i, 1), max_tokens=200),
        )
        for i, name in enumerate(shape.names)
    ]
    return Manifest(
        id="r-0c41",
        project=shape.title,
        created_at="2026-09-30T10:20:00Z",
        label=shape.label,
        befit_version="0.1.0",
        candidates=tuple(
            ManifestCandidate(
                candidate=candidate,
                fingerprint=candidate.fingerprint,
                price=price if shape.priced else None,
                price_snapshot=None,
            )
            for candidate in candidates
        ),
        scenarios=tuple(
            ManifestScenario(spec=spec, set_version=f"{i:02d}c0ffee" * 3, n_samples=shape.samples)
            for i, spec in enumerate(_specs(shape))
        ),
        tiers=(
            Tier(name="high-volume", value=0.02, cost_of_error=0.5, volume_per_month=200_000),
            Tier(name="careful", value=1.5, cost_of_error=40, complexity="high"),
        ),
        settings=RunSettings(seed=7),
        plan_fingerprint="5eed" * 6,
    )


class _Rows:
    """Draws the trials of a run; the same shape gives the same trials."""

    def __init__(self, shape: Shape, manifest: Manifest) -> None:
        self._shape, self._manifest = shape, manifest
        self.facts: list[Fact] = []
        self.scores: list[ScoreRow] = []
        self.parts: list[ScoreRow] = []
        self.failed: list[Failed] = []
        if shape.answers != "none":
            for place in self._places():
                self._trial(*place)

    def _places(self) -> Iterator[tuple[int, int, int, int]]:
        shape = self._shape
        for c in range(len(shape.names)):
            for s in range(len(self._manifest.scenarios)):
                for i in range(shape.samples):
                    for r in range(shape.repeats):
                        yield c, s, i, r

    def _trial(self, c: int, s: int, i: int, r: int) -> None:
        shape, spec = self._shape, self._manifest.scenarios[s].spec
        draw = random.Random(f"{c}/{s}/{i}/{r}")  # noqa: S311 - toy data
        hard = random.Random(f"{s}/{i}").random()  # noqa: S311 - toy data
        skill = 0.93 - 0.05 * c + 0.04 * ((c * 7 + s * 3) % 5 - 2)
        lost = shape.answers == "missing" or draw.random() < 0.004
        right = draw.random() < min(max(skill + 0.25 * (0.5 - hard), 0.02), 0.995)
        sample_id = shape.sample_ids.format(i)
        mode = MODES[draw.randrange(3)]
        passed = None if lost else float(right)
        self.facts.append(
            Fact(
                candidate=shape.names[c],
                scenario=spec.name,
                sample_id=sample_id,
                cluster=None,
                kind=("typical", "edge")[i % 5 == 0],
                language=("en", "fr")[i % 3 == 0],
                weight=1.0,
                variant="",
                repeat=r,
                key_id=f"{c}-{s}-{i}-{r}",
                status="missing" if lost else "ok",
                failure="timeout_total" if lost else None,
                reused=False,
                attempts=int(draw.random() < 0.03),
                first_token=None if lost else 0.1 + 0.05 * c + 0.2 * draw.random(),
                first_output_token=None,
                latency=None if lost else (0.3 + 0.4 * c) * (0.6 + draw.expovariate(1.5)),
                input_tokens=None if lost else 120,
                output_tokens=None if lost else 10 + draw.randrange(40 + 10 * c),
                reasoning_tokens=None,
                cost=None if lost or not shape.priced else 0.00004 * 3**c * (1 + draw.random()),
                finish_reason="stop",
                served_model=f"{shape.names[c]}-2026-09",
                system_fingerprint=None,
                started_at=1.79e9,
                output_chars=40,
                passed=passed,
                answer=None if lost else f"{i}" if right else f"{i}/{draw.randrange(3)}",
            )
        )
        if lost:
            return
        if not right:
            self.failed.append(
                Failed(
                    candidate=shape.names[c],
                    scenario=spec.name,
                    sample_id=sample_id,
                    variant="",
                    repeat=r,
                    labels=frozenset({mode}),
                    output=None,
                )
            )
        self._scores(draw, c=c, spec=spec, sample_id=sample_id, r=r, right=right)

    def _scores(
        self,
        draw: random.Random,
        *,
        c: int,
        spec: ScenarioSpec,
        sample_id: str,
        r: int,
        right: bool,
    ) -> None:
        place = (self._shape.names[c], spec.name, sample_id, "", r)
        if spec.dimension != "extraction":
            self.scores.append(ScoreRow(*place, "match", "match", None, float(right), None))
            return
        got = []
        for name in FIELDS:
            fine = right or draw.random() < 0.7
            bad = ("omitted", "invented")[draw.random() < 0.3 + 0.1 * c]
            absent = name == "vat_id"
            label = "true_null_marked" if absent else "right"
            if not fine:
                label = bad if absent else ("wrong", "missed")[draw.random() < 0.3]
            got.append(fine)
            self.parts.append(ScoreRow(*place, "fields", "field", name, float(fine), label))
            for check in ("field_present", "field_value", "field_format"):
                value = 1.0 if check == "field_format" else float(fine)
                self.parts.append(ScoreRow(*place, "fields", check, name, value, None))
        accuracy = sum(got) / len(got)
        self.scores.append(ScoreRow(*place, "fields", "field_accuracy", None, accuracy, None))
        whole = float(all(got))
        self.scores.append(ScoreRow(*place, "fields", "document_complete", None, whole, None))


def _example(shape: Shape, *, name: str, scenario: str, mode: str, n: int) -> ExampleTrial:
    output = shape.output
    passed = mode == "pass"
    start = max(output.find("20"), 0)
    parts = tuple(
        Quote(
            scorer="fields",
            name="field",
            part=part,
            value=float(passed or part != "total"),
            label="right" if passed or part != "total" else "wrong",
            rule=None,
            span=None,
            answer=value,
            explanation=None,
        )
        for part, value in shape.targets.items()
    )
    return ExampleTrial(
        candidate=name,
        scenario=scenario,
        sample_id=shape.sample_ids.format(n),
        variant="",
        repeat=n % shape.repeats,
        mode=mode,
        prompt=shape.prompt,
        expected=dict(shape.targets),
        output=output[:CUT],
        cut=max(0, len(output) - CUT),
        quotes=(
            Quote(
                scorer="match",
                name="match",
                part=None,
                value=float(passed),
                label=None if passed else mode,
                rule="contains '20'",
                span=(start, min(start + 2, len(output))) if output else None,
                answer=output[start : start + 2],
                explanation=None,
            ),
            *parts,
        ),
    )


def rows_of(shape: Shape) -> tuple[Manifest, list[Fact]]:
    """Return the manifest and the rows of a synthetic run of this shape."""
    manifest = _manifest(shape)
    return manifest, _Rows(shape, manifest).facts


def document(shape: Shape | None = None) -> Document:
    """Return the document of a synthetic run of this shape."""
    shape = shape or Shape()
    manifest = _manifest(shape)
    rows = _Rows(shape, manifest)
    frame = build_frame(manifest, rows.facts, rows.scores)
    analysis = analyse(frame, parts=rows.parts, failed=rows.failed)
    scenarios = [s.spec.name for s in manifest.scenarios]
    ran = shape.answers == "ok"
    costs = [fact.cost for fact in rows.facts if fact.cost is not None]
    failures = [
        _example(shape, name=count.candidate, scenario=count.scenario, mode=count.mode, n=n)
        for count in analysis.failures
        for n in range(min(shape.examples, count.count))
    ]
    pairs = combinations([entry.candidate for entry in manifest.candidates], 2)
    return Document(
        title=manifest.project,
        provenance=Provenance(
            project=manifest.project,
            run_id=manifest.id,
            label=manifest.label,
            created_at=manifest.created_at,
            status="complete" if ran else "partial",
            befit_version=manifest.befit_version,
            n_candidates=len(manifest.candidates),
            n_scenarios=len(scenarios),
            n_samples=shape.samples * len(scenarios),
            n_trials=len(rows.facts),
            spent=sum(costs) if costs else None,
            unknown_cost_calls=0 if costs else len(rows.facts),
            set_versions={s.spec.name: s.set_version for s in manifest.scenarios},
        ),
        conclusion=conclusion(analysis),
        manifest=manifest,
        analysis=analysis,
        equality=dict.fromkeys(scenarios, "the extracted answer is the same"),
        changes={(a.name, b.name): changes(a, b) for a, b in pairs},
        failures=tuple(failures),
        passes=tuple(
            _example(shape, name=name, scenario=scenarios[0], mode="pass", n=n)
            for n, name in enumerate(shape.names[:3] if ran and scenarios else ())
        ),
        decision=_decision(frame, shape.policy) if shape.decided else None,
        decision_record="d-0123456789ab" if shape.decided else "",
        loads=report_measured.loads(manifest) if shape.measured else (),
        edges=report_measured.edges(manifest) if shape.measured else (),
    )


def _decision(frame: Frame, policy: Policy) -> Decision:
    made = decide_frame(frame, policy=policy)
    return replace(made, made_by="somebody", made_at="2026-01-01T00:00:00+00:00")
