"""What the engine hands over as rows of the tables: the narrow form of trials and scores."""

from __future__ import annotations

from collections.abc import Sequence
from math import isnan
from typing import TypeAlias

from befit.core.completion import Completion
from befit.core.record import Json
from befit.core.route import route_text
from befit.core.score import Score
from befit.core.trial import Slot, Trial
from befit.storage.codec import answer_hash, pack, plain, plain_or_none, unpack
from befit.storage.trial_record import failure_kind

Place: TypeAlias = tuple[str, str, str, str, int]
"""A slot by its names: scenario, candidate, sample id, variant, repeat."""
Row: TypeAlias = tuple[object, ...]
_LARGEST = 2**63 - 1


def place_of(slot: Slot) -> Place:
    """Return where a slot stands in its run."""
    scenario, candidate, sample_id = slot.scenario, slot.candidate, slot.sample_id
    variant = slot.variant
    if f"{scenario}{candidate}{sample_id}{variant}".isprintable():  # as `plain`, of all at once
        return scenario, candidate, sample_id, variant, slot.repeat
    return plain(scenario), plain(candidate), plain(sample_id), plain(variant), slot.repeat


Judged: TypeAlias = tuple[float | None, str | None]
"""Value of the derived score `pass`, and the hash of its answer."""


def slot_row(head: Row, trial: Trial, *, reused: bool, judged: Judged, payload: int | None) -> Row:
    """Return the row of `slots`, in the order of its columns; `head` is run id to trial id."""
    return (
        *head,
        trial.status,
        failure_kind(trial),
        int(reused),
        len(trial.attempts),
        *_measures(trial),
        trial.started_at,
        len(trial.output),
        *judged,
        per_token(trial.completions),
        len(trial.completions),
        trial.waited,
        None if trial.retry_cost is None else float(trial.retry_cost),
        payload,
        plain_or_none(route_text(trial.completions[-1].headers)) if trial.completions else None,
        trial.untold_tries,
    )


def payload_chars(scores: Sequence[Score]) -> int | None:
    """Return the length of the answer proper within the output; None where no scorer says it.

    It is what the first score about the whole answer points at (its span).
    """
    for score in scores:
        if score.span is not None and score.part is None:
            return max(0, score.span[1] - score.span[0])
    return None


def per_token(completions: Sequence[Completion]) -> float | None:
    """Return seconds per output token after the first, over all calls of a trial.

    None where nothing was streamed, the provider counted no tokens, or it billed
    reasoning that it did not show (then the time per visible token means nothing).
    """
    seconds, tokens = 0.0, 0
    for completion in completions:
        timing, usage = completion.timing, completion.usage
        if usage is None or timing.first_token is None or timing.last_token is None:
            return None
        if usage.reasoning_output and not completion.reasoning:
            return None
        if usage.output_tokens > 1:
            seconds += timing.last_token - timing.first_token
            tokens += usage.output_tokens - 1
    return seconds / tokens if tokens and seconds > 0 else None


def _measures(trial: Trial) -> Row:
    """First token to system fingerprint; times of a conversation are those of its first call."""
    cost = None if trial.cost is None else float(trial.cost)
    if not trial.completions:
        return (None, None, None, None, None, None, cost, None, None, None)
    timing = trial.completions[0].timing
    last = trial.completions[-1]
    reason, model, build = last.finish_reason, last.served_model, last.system_fingerprint
    if not f"{reason}{model}{build}".isprintable():
        reason, model, build = map(plain_or_none, (reason, model, build))
    return (
        timing.first_token,
        timing.first_output_token,
        trial.latency,
        *_tokens(trial.completions),
        cost,
        reason,
        model,
        build,
    )


def _tokens(completions: Sequence[Completion]) -> tuple[int | None, int | None, int | None]:
    """Input, output and reasoning tokens over all calls; unknown when any call's are."""
    shown = taken = thought = 0
    for completion in completions:
        usage = completion.usage
        if usage is None:
            return (None, None, None)
        shown += usage.input_tokens
        taken += usage.output_tokens
        thought += usage.reasoning_output
    if max(shown, taken, thought) <= _LARGEST:
        return (shown, taken, thought)
    return (min(shown, _LARGEST), min(taken, _LARGEST), min(thought, _LARGEST))


def outcome(scores: Sequence[Score], *, forgotten: bool = False) -> Judged:
    """Return the value of the derived score `pass` and the hash of its answer."""
    for score in scores:
        if score.scorer == "befit" and score.name == "pass" and score.part is None:
            return number(score.value), None if forgotten else answer_hash(score.answer)
    return None, None


def score_rows(run_id: str, scoring: int, place: Place, scores: Sequence[Score], /) -> list[Row]:
    """Return the rows of `scores` of one slot, in the order of its columns."""
    scenario, candidate, sample_id, variant, repeat = place
    rows: list[Row] = []
    for position, score in enumerate(scores):
        name, scorer, part, label = score.name, score.scorer, score.part, score.label
        if not f"{name}{scorer}{part}{label}".isprintable():
            name, scorer = plain(name), plain(scorer)
            part, label = plain_or_none(part), plain_or_none(label)
        head = (run_id, scoring, scenario, name, candidate, sample_id, variant, repeat)
        rows.append((*head, position, scorer, part, number(score.value), label))
    return rows


def number(value: float | None) -> float | None:
    """Return a score's value as stored: what is not a number is unscored, not 0."""
    return None if value is None or isnan(value) else float(value)


def scores_body(scores: Sequence[Score]) -> bytes:
    """Return all scores of one slot, with their evidence, as a body."""
    told: list[list[Json]] = [
        [
            score.scorer,
            score.version,
            score.name,
            number(score.value),
            score.label,
            score.part,
            score.answer,
            score.span,
            score.rule,
            score.explanation,
        ]
        for score in scores
    ]
    return pack(told)


def read_scores(body: bytes) -> list[Score]:
    """Return the scores of a body, in the order the scorers gave them."""
    return [
        Score(
            scorer=scorer,
            version=version,
            name=name,
            value=value,
            label=label,
            part=part,
            answer=answer,
            span=None if span is None else (span[0], span[1]),
            rule=rule,
            explanation=explanation,
        )
        for scorer, version, name, value, label, part, answer, span, rule, explanation in unpack(
            body
        )
    ]
