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

PREFERENCE = "judge_preference"
JUDGED = ("judge", "judge_grade", PREFERENCE)
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


def both_orders(workspace: Workspace, run_id: str, /) -> dict[str, list[tuple[float, float]]]:
    """Return scenario -> what judges said of an answer when it stood first, and when second.

    1 is "it is better", 0 "the other is", 0.5 a tie; one entry for each judge of a trial that
    was asked in both orders and gave two verdicts.
    """
    held: dict[tuple[str, str, str, str, int, str], dict[str, float]] = defaultdict(dict)
    for row in workspace.scores(run_id, names=["judge_verdict"]):
        judge, _, order = (row.part or "").rpartition("preference ")
        if row.value is not None and order in {"(as is)", "(swapped)"}:
            place = (row.scenario, row.candidate, row.sample_id, row.variant, row.repeat, judge)
            held[place][order] = row.value
    found: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for place, said in held.items():
        if len(said) == 2:  # noqa: PLR2004 - both orders
            found[place[0]].append((said["(as is)"], 1 - said["(swapped)"]))
    return dict(found)


def rivals_of(manifest: Manifest, /) -> dict[str, str]:
    """Return scenario -> the candidate against whose answers its judges set the others."""
    return {
        entry.spec.name: against
        for entry in manifest.scenarios
        for scorer in entry.spec.scorers
        if scorer.name == "judge"
        and scorer.options.get("mode") == "pairwise"
        and isinstance(against := scorer.options.get("against"), str)
    }


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
    *,
    rivals: Mapping[str, str],
) -> list[Judged]:
    """Return what a judge's scores say of every pair of the pool.

    Where a judge has set one of the two against the other, its own verdict counts; else
    the one whose score is higher. `rivals` is `rivals_of` the run.
    """
    found = []
    for item, (x, y) in places.items():
        held = pool.work[item]
        names = [mapping.codes.get(code, code) for code in held.cell.split("|")]
        values = known.scores.get(x, {}).get(metric), known.scores.get(y, {}).get(metric)
        rival = rivals.get(held.scenario, "") if metric == PREFERENCE else ""
        score = _score(values, rival=names.index(rival) if rival in names else None)
        if score is None:
            continue
        found.append(
            Judged(
                item=item,
                x=names[0],
                y=names[1],
                score=score,
                lengths=(float(known.lengths.get(x, 0)), float(known.lengths.get(y, 0))),
            )
        )
    return found


def _score(values: tuple[float | None, float | None], *, rival: int | None) -> float | None:
    """Return 1 for x, 0 for y, 0.5 for a tie; `rival` is the place of the one set against all."""
    if rival is not None:
        told = values[1 - rival]
        return None if told is None else told if rival else 1 - told
    one, two = values
    if one is None or two is None:
        return None
    return 0.5 if one == two else float(one > two)


def judges_of_run(
    study: Study,
    manifest: Manifest,
    rows: Sequence[Row],
    pairs: Mapping[str, Sequence[Judged]],
    *,
    orders: Mapping[str, Sequence[tuple[float, float]]],
) -> tuple[JudgeAgainstPeople, ...]:
    """Return each judging score against people; its family is that of the scenarios' judges.

    `orders` are `both_orders` of the run; those of the study's scenarios count.
    """
    shown = {info.name for info in study.scenarios}
    swaps = [pair for name, said in orders.items() if name in shown for pair in said]
    models = {judge.model for s in manifest.scenarios for judge in s.spec.judges}
    families = {family_of(model) for model in models if model}
    own = frozenset(
        c.candidate.name
        for c in manifest.candidates
        if c.candidate.model and family_of(c.candidate.model) in families
    )
    return tuple(
        judge_against_people(
            metric,
            judged,
            rows,
            needed=study.settings.judge_gate,
            family=own,
            swaps=swaps if metric in {"judge", PREFERENCE} else (),
        )
        for metric, judged in pairs.items()
        if judged
    )
