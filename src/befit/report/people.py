"""What people said, as JSON values, and the few sentences that every rendering shares."""

from __future__ import annotations

from collections.abc import Sequence

from befit.analysis.results import Finding, MatrixRow
from befit.core.estimate import Estimate
from befit.core.record import Json
from befit.core.written import in_percent, many
from befit.report.numbers import percent
from befit.review.quality import ReviewerQuality
from befit.review.ratings import Preference, WinCell
from befit.review.result import Result

_RATES = ("gold", "too_fast", "same_verdict", "left_rate", "tie_rate", "self_consistency")


def headline(result: Result) -> str:
    """Return the finding of a study in one sentence."""
    found = result.preference
    if found is None or not found.strengths:
        rated = len({one.candidate for one in result.rubric})
        told = f"{many(result.n_votes, 'rating')} of {many(rated, 'candidate')}."
        return told if rated else "No vote counts."
    best = found.strengths[0]
    ties = [one.candidate for one in found.strengths[1:] if set(one.letters) & set(best.letters)]
    n = f"{many(found.n_votes, 'vote')} of {many(found.n_reviewers, 'reviewer')}"
    n += f" on {many(found.n_items, 'pair')}"
    if len(ties) == len(found.strengths) - 1:
        return f"People cannot tell the candidates apart ({n})."
    told = f"; it cannot be told from {', '.join(ties)}" if ties else ""
    return f"People prefer {best.candidate}{told} ({n})."


def judges_of(row: MatrixRow, people: Sequence[Result]) -> tuple[Result, ...]:
    """Return the studies that judge a row which no score measures, newest first."""
    if any(cell.estimate.value is not None for cell in row.cells):
        return ()
    return tuple(
        one for one in people if {scenario for _, scenario, _ in one.gates} & set(row.scenarios)
    )


def by_people(row: MatrixRow, people: Sequence[Result]) -> str:
    """Return what people found on a row that no score measures; empty where nobody judged it."""
    found = judges_of(row, people)
    if not found:
        return ""
    more = f" The newest of {len(found)} studies says:" if len(found) > 1 else ""
    return f"{row.title}: judged by people, see Review by people.{more} {headline(found[0])}"


def without_score_advice(
    findings: Sequence[Finding], rows: Sequence[MatrixRow], people: Sequence[Result]
) -> tuple[Finding, ...]:
    """Return findings but those that ask for a score where people judge and nothing scores.

    Running again fills no gap that no scorer fills.
    """
    judged = [row for row in rows if judges_of(row, people)]
    starts = tuple(f"{row.title} ({row.metric_title}): " for row in judged)
    unscored = bool(judged) and len(judged) == len(rows)
    return tuple(
        one
        for one in findings
        if not (
            (one.text.startswith(starts) and "not compared" in one.text)
            or (unscored and "could not be scored" in one.text)
            or (unscored and "is not ranked in" in one.text)
        )
    )


def guesses(result: Result) -> str:
    """Return what came of "which model is it?" in one sentence."""
    told, idea = result.guessing, result.guessing.no_idea
    if idea.value is None:
        return "Which model is it? Not asked."
    if told.right.value is None:
        return f"Which model is it? Asked {many(idea.n_samples, 'time')}; nobody named a model."
    return (f"Which model is it? Right in {percent(told.right)} of {told.right.n_samples} guesses, "
            f"chance {in_percent(told.chance)} %; no idea in {percent(idea)}.")  # fmt: skip


def adjudication(result: Result) -> str:
    """Return what adjudicators decided in one sentence; empty where there were none."""
    if not result.adjudicated:
        return ""
    # each pair stands in the win rates of both its candidates
    n = sum(rate.n_samples for _, rate in result.adjudicated) // 2
    rates = ", ".join(f"{name} {percent(rate)}" for name, rate in result.adjudicated)
    told = f"Adjudicators decided {many(n, 'disputed pair')}, not counted among the votes"
    return f"{told}; win rates in these: {rates}."


def win_rates(result: Result) -> str:
    """Return every candidate's win rate, the best first; empty where nothing was compared."""
    found = result.preference.strengths if result.preference else ()
    return ", ".join(f"{one.candidate} {percent(one.win_rate)}" for one in found)


def cell_of(found: Preference, row: str, column: str) -> Estimate | None:
    """Return how often `row` is preferred to `column`; None on the diagonal."""
    wins: Sequence[WinCell] = found.wins
    return next((one.rate for one in wins if one.row == row and one.column == column), None)


def name_of(result: Result, reviewer: str) -> str:
    """Return a reviewer's name."""
    return next((line.name for line in result.quality if line.reviewer == reviewer), reviewer)


def reviewer_json(line: ReviewerQuality) -> dict[str, Json]:
    """Return a reviewer's line as JSON values."""
    return {
        "reviewer": line.reviewer, "name": line.name, "group": line.group, "votes": line.votes,
        "attention_missed": line.attention_missed, "attention": line.attention,
        "position_p": line.position_p, "agreement": line.agreement, "seconds": line.seconds,
        "excluded": list(line.excluded),
        **{name: getattr(line, name).to_dict() for name in _RATES},
    }  # fmt: skip


def preference_json(found: Preference | None) -> Json:
    """Return a preference as JSON values."""
    if found is None:
        return None
    return {
        "candidates": [
            {"candidate": one.candidate, "letters": one.letters, "rating": one.rating.to_dict(),
             "win_rate": one.win_rate.to_dict(), "styled": one.styled.to_dict()}
            for one in found.strengths
        ],
        "differences": [
            {"a": one.a, "b": one.b, "difference": one.difference.to_dict(),
             "adjusted_p": one.adjusted_p}
            for one in found.contrasts
        ],
        "wins": [{"row": w.row, "column": w.column, "rate": w.rate.to_dict()} for w in found.wins],
        "style": {name: effect.to_dict() for name, effect in found.style},
        "connected": found.connected, "votes": found.n_votes, "reviewers": found.n_reviewers,
        "pairs": found.n_items, "ties": found.ties.to_dict(),
    }  # fmt: skip


def people_json(result: Result) -> dict[str, Json]:
    """Return a result as JSON values."""
    made = result.agreement
    return {
        "study": result.study.id, "state": result.study.state, "run": result.study.run_id,
        "commitment": result.study.commitment.model_dump(), "broken": result.study.broken,
        "votes": result.n_votes, "left_out": result.n_left_out, "flagged": result.flagged,
        "cannot_judge": result.cannot_judge, "warnings": list(result.warnings),
        "reviewer_pairs": [{"a": p.a, "b": p.b, "agreement": p.agreement.to_dict()}
                           for p in made.pairs],
        "agreement": {"alpha": made.alpha.to_dict(), "raw": made.raw.to_dict(),
                      "ac1": made.ac1.to_dict(), "disputed": list(made.disputed)},
        "adjudicated": {name: rate.to_dict() for name, rate in result.adjudicated},
        "preference": preference_json(result.preference),
        "without_flagged": preference_json(result.unflagged),
        "groups": [{"group": g.group, "votes": g.n_votes, "reviewers": g.n_reviewers,
                    "alpha": g.agreement.alpha.to_dict(),
                    "preference": preference_json(g.preference)} for g in result.groups],
        "reasons": [{"candidate": r.candidate, "tag": r.tag, "share": r.share.to_dict()}
                    for r in result.reasons],
        "rubric": [{"candidate": r.candidate, "row": r.row, "scenario": r.scenario,
                    "score": r.score.to_dict()} for r in result.rubric],
        "rubric_agreement": {r.row: r.alpha.to_dict() for r in result.rubric_agreement},
        "guessing": {"right": result.guessing.right.to_dict(), "chance": result.guessing.chance,
                     "no_idea": result.guessing.no_idea.to_dict(),
                     "p_value": result.guessing.p_value},
        "gates": [{"metric": m, "scenario": s, "candidate": c, "estimate": e.to_dict()}
                  for (m, s, c), e in result.gates.items()],
        "reviewers": [reviewer_json(line) for line in result.quality],
        **_beside(result),
    }  # fmt: skip


def _beside(result: Result) -> dict[str, Json]:
    return {
        "automatic_scores": [
            {"metric": a.metric, "agreement": a.agreement.to_dict(), "silent": a.silent.to_dict(),
             "disagreements": a.n_disagreements,
             "samples": [{"scenario": d.scenario, "sample": d.sample, "preferred": d.preferred,
                          "scored_higher": d.scored_higher, "votes": d.votes}
                         for d in a.disagreements]}
            for a in result.automatic
        ],
        "judges": [
            {"judge": j.judge, "agreement": j.agreement.to_dict(),
             "human_human": j.human_human.to_dict(), "flip_rate": j.flip_rate.to_dict(),
             "first_p": j.first_p, "length_bias": j.length_bias.to_dict(),
             "family_bias": j.family_bias.to_dict(), "needed": j.needed, "may_gate": j.may_gate,
             "corrected": {name: e.to_dict() for name, e in j.corrected}}
            for j in result.judges
        ],
        "recalibrations": [
            {"cycle": d.cycle, "gold": d.gold.to_dict(), "same": d.same.to_dict(),
             "rubric_shift": d.rubric_shift.to_dict(), "agreement": d.agreement.to_dict(),
             "rubric_alpha": d.rubric_alpha.to_dict()}
            for d in result.drift
        ],
        "records": [
            {"id": n.id, "candidate": n.candidate, "scenario": n.scenario, "sample": n.sample,
             "dimension": n.dimension, "tag": n.tag, "seen": n.seen, "severity": n.severity,
             "state": n.state, "due_at": n.due_at, "author": n.author,
             "history": [step.model_dump(mode="json") for step in n.history]}
            for n in result.notes
        ],
        "overdue_records": result.overdue,
    }  # fmt: skip
