"""The scores of a run beside the votes on the same answers: metric by metric, judge by judge."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from befit.analysis.judges import family_of
from befit.core.run import Manifest
from befit.review.judges import JudgeAgainstPeople, Judged, judge_against_people
from befit.review.pick import Pool
from befit.review.records import Sealed, Study
from befit.review.rows import Row
from befit.storage.workspace import Workspace

JUDGED = ("judge", "judge_grade", "judge_preference")
"""Scores that a model gave."""
_Place = tuple[str, str, str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerScores:
    """Whole-trial scores and lengths by trial key id."""

    scores: Mapping[str, Mapping[str, float]]
    lengths: Mapping[str, int]


def answer_scores(
    workspace: Workspace, run_id: str, keys: Iterable[str], /, *, names: Sequence[str] | None = None
) -> AnswerScores:
    """Return the whole-trial scores (and `pass`) that a run gave to trials."""
    wanted = set(keys)
    by_place: dict[_Place, str] = {}
    scores: dict[str, dict[str, float]] = defaultdict(dict)
    lengths: dict[str, int] = {}
    for fact in workspace.facts(run_id):
        if fact.key_id in wanted and not fact.variant:
            by_place[fact.scenario, fact.candidate, fact.sample_id, fact.repeat] = fact.key_id
            lengths[fact.key_id] = fact.output_chars
            if fact.passed is not None and (names is None or "pass" in names):
                scores[fact.key_id]["pass"] = fact.passed
    for row in workspace.scores(run_id, names=names, whole_only=True):
        key = by_place.get((row.scenario, row.candidate, row.sample_id, row.repeat))
        if key is not None and row.value is not None and not row.variant:
            scores[key].setdefault(row.name, row.value)
    return AnswerScores(scores=scores, lengths=lengths)


def keys_of(pool: Pool, mapping: Sealed) -> dict[str, tuple[str, str]]:
    """Return item -> trial key ids of x and y, where both are known."""
    found = {}
    for item in pool.work.values():
        sides = [mapping.answers[name].key_ids[:1] for name in (item.x, item.y) if name]
        if len(sides) == 2 and all(sides):  # noqa: PLR2004 - a pair
            found[item.id] = (sides[0][0], sides[1][0])
    return found


def vote_scores(
    rows: Sequence[Row], places: Mapping[str, tuple[str, str]], known: AnswerScores
) -> dict[str, dict[str, tuple[float, float]]]:
    """Return vote id -> metric -> (score of x, score of y)."""
    found: dict[str, dict[str, tuple[float, float]]] = {}
    for row in rows:
        if row.item in places:
            x, y = (known.scores.get(key, {}) for key in places[row.item])
            found[row.id] = {name: (x[name], y[name]) for name in x if name in y}
    return found


def judged_pairs(
    pool: Pool,
    mapping: Sealed,
    places: Mapping[str, tuple[str, str]],
    known: AnswerScores,
    metric: str,
) -> list[Judged]:
    """Return what a judge's scores of single answers say of every pair of the pool."""
    found = []
    for item, (x, y) in places.items():
        one, two = known.scores.get(x, {}).get(metric), known.scores.get(y, {}).get(metric)
        if one is None or two is None:
            continue
        names = [mapping.codes.get(code, code) for code in pool.work[item].cell.split("|")]
        found.append(
            Judged(
                item=item,
                x=names[0],
                y=names[1],
                score=0.5 if one == two else float(one > two),
                lengths=(float(known.lengths.get(x, 0)), float(known.lengths.get(y, 0))),
            )
        )
    return found


def judges_of_run(
    study: Study,
    manifest: Manifest,
    rows: Sequence[Row],
    pairs: Mapping[str, Sequence[Judged]],
) -> tuple[JudgeAgainstPeople, ...]:
    """Return each judging score against people; its family is that of the scenarios' judges."""
    models = {judge.model for s in manifest.scenarios for judge in s.spec.judges}
    families = {family_of(model) for model in models if model}
    own = frozenset(
        c.candidate.name
        for c in manifest.candidates
        if c.candidate.model and family_of(c.candidate.model) in families
    )
    return tuple(
        judge_against_people(metric, judged, rows, needed=study.settings.judge_gate, family=own)
        for metric, judged in pairs.items()
        if judged
    )
