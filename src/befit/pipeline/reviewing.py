"""The stage that makes a review study out of a run: whose answers, to which questions.

Reviewers read what the scenario asks of everybody (`review_turns.py`), never a
candidate's own template or system prompt.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import comb
from random import Random

from befit.core.candidate import Candidate
from befit.core.fingerprint import fingerprint
from befit.core.landed import Fact
from befit.core.run import Manifest, ManifestScenario
from befit.core.sample import Sample
from befit.core.trial import Trial
from befit.errors import UsageError
from befit.pipeline.review_turns import answered, own_words, shown_turns
from befit.review.create import Created, create_study
from befit.review.material import Known, Material, Source
from befit.review.records import ScenarioInfo
from befit.review.settings import Settings, Verdict
from befit.storage.workspace import Workspace

_AT_ONCE = 200
_KNOWN: dict[str, Verdict] = {
    "left": "left", "right": "right", "tie": "tie", "both_bad": "both_bad"
}  # fmt: skip
_RECOVERY, _EXTRACTION = "error-recovery", "extraction"


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What a study is made with, besides the run."""

    settings: Settings
    calibration: tuple[Known, ...] = ()
    gold: tuple[Known, ...] = ()


def create_from_run(
    workspace: Workspace, run_id: str, wanted: Wanted, /, *, at: str, by: str
) -> Created:
    """Make a study out of a run's answers.

    Raises:
        StoreError: no such run.
        UsageError: a scenario or candidate is not in it, or nothing can be compared.
    """
    manifest = workspace.manifest(run_id)
    settings = wanted.settings
    scenarios, candidates = chosen_of(manifest, settings)
    sources = list(_sources(workspace, manifest, settings, scenarios, candidates))
    chosen = [c.candidate for c in manifest.candidates if c.candidate.name in candidates]
    material = Material(
        sources=sources,
        identities=[word for c in manifest.candidates for word in identities(c.candidate)],
        calibration=wanted.calibration,
        gold=wanted.gold,
        scenarios=[
            ScenarioInfo(name=s.spec.name, critical=s.spec.critical, dimension=s.spec.dimension)
            for s in manifest.scenarios
            if s.spec.name in scenarios
        ],
        names=[candidate.name for candidate in chosen],
        unmeasured=_unmeasured(workspace, run_id, settings, sources, (scenarios, candidates)),
    )
    return create_study(
        workspace.reviews,
        settings,
        material,
        project=manifest.project,
        run_id=manifest.id,
        at=at,
        by=by,
    )


def _unmeasured(
    workspace: Workspace,
    run_id: str,
    settings: Settings,
    sources: Sequence[Source],
    chosen: tuple[Sequence[str], Sequence[str]],
) -> int:
    """Return how many pairs (or answers) could have been made, had every sample been measured."""
    scenarios, candidates = chosen
    per_item = 1 if settings.kind == "ratings" else 2
    samples = sum(1 for name in scenarios for _ in workspace.samples(run_id, name))
    measured = Counter((source.scenario, source.sample) for source in sources)
    there = sum(comb(n, per_item) for n in measured.values())
    return samples * comb(len(candidates), per_item) - there


def chosen_of(manifest: Manifest, settings: Settings) -> tuple[list[str], list[str]]:
    """Return the scenarios and the candidates of a run that are reviewed.

    Raises:
        UsageError: one of them is not in the run.
    """
    scenarios = [s.spec.name for s in manifest.scenarios]
    candidates = [c.candidate.name for c in manifest.candidates]
    return (
        _chosen(settings.scenarios, scenarios, what="scenario"),
        _chosen(settings.candidates, candidates, what="candidate"),
    )


def _chosen(wanted: Sequence[str], known: Sequence[str], *, what: str) -> list[str]:
    unknown = [name for name in wanted if name not in known]
    if unknown:
        raise UsageError(
            f"there is no {what} '{unknown[0]}' in this run", do=f"one of: {', '.join(known)}"
        )
    return list(wanted) or list(known)


def identities(candidate: Candidate) -> list[str]:
    """Return every word of a candidate's description that tells who it is."""
    words = [candidate.name, candidate.model, candidate.revision or "", candidate.provider]
    words += [candidate.model.rpartition("/")[2], candidate.base_url or ""]
    return [word for word in dict.fromkeys(words) if word and word != candidate.target]


def _sources(
    workspace: Workspace,
    manifest: Manifest,
    settings: Settings,
    scenarios: Sequence[str],
    candidates: Sequence[str],
) -> Iterator[Source]:
    entries = {s.spec.name: s for s in manifest.scenarios}
    known = {c.candidate.name: c for c in manifest.candidates}
    by_answer: dict[tuple[str, str, str], list[Fact]] = {}
    for fact in workspace.facts(manifest.id):
        if fact.scenario in scenarios and fact.candidate in candidates and not fact.variant:
            place = fact.scenario, fact.sample_id, fact.candidate
            by_answer.setdefault(place, []).append(fact)
    for scenario in scenarios:
        samples = {s.id: s for s in workspace.samples(manifest.id, scenario)}
        places = [place for place in by_answer if place[0] == scenario and place[1] in samples]
        for start in range(0, len(places), _AT_ONCE):
            part = {place: _repeats(by_answer[place], settings)
                    for place in places[start : start + _AT_ONCE]}  # fmt: skip
            keys = [fact.key_id for facts in part.values() for fact in facts]
            trials = workspace.trials(keys)
            for (_, sample_id, name), facts in part.items():
                found = [trials[f.key_id] for f in facts if f.key_id in trials]
                who = known[name]
                made = _source(entries[scenario], samples[sample_id], who.candidate, found)
                if made is not None:
                    yield _with(made, fingerprint_=who.fingerprint, facts=facts)


def _with(source: Source, *, fingerprint_: str, facts: Sequence[Fact]) -> Source:
    return Source(
        scenario=source.scenario,
        sample=source.sample,
        candidate=source.candidate,
        turns=source.turns,
        repeats=source.repeats,
        key_ids=tuple(fact.key_id for fact in facts),
        fingerprint=fingerprint_,
        marked_turn=source.marked_turn,
        document=source.document,
    )


def _repeats(facts: Sequence[Fact], settings: Settings) -> list[Fact]:
    """Return the repeats to show: chance picks them, the same for the same seed."""
    ranked = sorted((f for f in facts if f.status != "missing"), key=lambda f: f.repeat)
    if not ranked:
        return []
    told = fingerprint([settings.seed, ranked[0].candidate, ranked[0].sample_id])
    chosen = Random(told).sample(ranked, k=min(settings.repeats_shown, len(ranked)))  # noqa: S311 - a choice, no secret
    return sorted(chosen, key=lambda f: f.repeat)


def _source(
    entry: ManifestScenario, sample: Sample, candidate: Candidate, trials: Sequence[Trial]
) -> Source | None:
    if not trials:
        return None
    spec = entry.spec
    turns = shown_turns(spec, candidate, sample, trials[0])
    spoken = sum(message.role == "user" for message in turns)
    return Source(
        scenario=spec.name,
        sample=sample.id,
        candidate=candidate.name,
        turns=tuple(turns),
        repeats=tuple(answered(trial.output).text for trial in trials[1:]),
        marked_turn=1 if spec.dimension == _RECOVERY and spoken > 1 else None,
        document=own_words(sample) if spec.dimension == _EXTRACTION else "",
    )


def read_known(
    rows: Iterable[Mapping[str, object]], *, file: str, lines: Sequence[int] = ()
) -> tuple[Known, ...]:
    """Return calibration or gold items of a file: question, left, right, verdict, why.

    `lines`: where each row stands in the file; without it rows are counted from 1.

    Raises:
        UsageError: a row that cannot be one, with its line.
    """
    found = []
    for number, row in enumerate(rows, 1):
        texts = {key: str(row.get(key, "")) for key in ("question", "left", "right", "why")}
        verdict = _KNOWN.get(str(row.get("verdict", "")))
        if verdict is None or not texts["left"]:
            raise UsageError(
                "this is no item with a known verdict",
                where=f"{file}:{lines[number - 1] if lines else number}",
                do="give question, left, right and verdict: left, right, tie or both_bad",
            )
        found.append(
            Known(
                question=texts["question"], left=texts["left"], right=texts["right"],
                why=texts["why"], verdict=verdict, scenario=str(row.get("scenario", "")),
            )
        )  # fmt: skip
    return tuple(found)
