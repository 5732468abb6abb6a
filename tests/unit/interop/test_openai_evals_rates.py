"""Real evaluation files, answerers of known behaviour: the scores are the planted rates."""

from __future__ import annotations

import asyncio

import pytest

from befit.engine.executor import execute
from befit.interop.openai_evals import read_openai_evals
from engine_ground import RUN, Answering, candidate, fixed, job, scenario, workspace
from shared_data import shared


def rates(tmp_path, samples, answer):
    """Run `samples` with `answer(sample, number)`; return the mean of every metric."""
    by_id = {sample.id: (sample, number) for number, sample in enumerate(samples)}
    target = Answering(lambda request: answer(*by_id[request.metadata["sample"]]))
    one = job([candidate()], [scenario(fixed(*samples), scorers=())])
    with workspace(tmp_path, one) as store:
        outcome = asyncio.run(execute(one, store=store, targets={"a": target}))
        assert outcome.ok == len(samples)
        found = {}
        for row in store.scores(RUN, whole_only=True):
            found.setdefault(row.name, []).append(row.value)
        labels = {}
        for row in store.scores(RUN, whole_only=True):
            labels[row.label] = labels.get(row.label, 0) + (row.name == "recovered")
    known = {name: [v for v in values if v is not None] for name, values in found.items()}
    return {name: (sum(values), len(values)) for name, values in known.items()}, labels


def test_error_recovery_finds_those_who_mend_repeat_and_err_anew(tmp_path):
    samples = read_openai_evals(shared("openai_evals/error_recovery__medium.jsonl"))
    assert len(samples) == 250

    def answer(sample, number):
        if number % 5 < 3:
            return f"The last step was wrong.\nAnswer: {sample.target}"
        return "Going on as before.\nAnswer: 7777" if number % 5 == 3 else "I cannot see it."

    found, labels = rates(tmp_path, samples, answer)
    assert found["recovered"] == found["fixed"] == (150, 250)
    assert labels["fixed"] == 150
    # "I cannot see it." gives no value: no new mistake.
    assert (labels["new_mistake"], labels["no_answer"]) == (50, 50)
    assert "held" not in found


@pytest.mark.parametrize(("right", "lazy"), [(1.0, 0.0), (0.75, 0.2), (0.0, 1.0)])
def test_unsolvable_questions_give_both_rates(tmp_path, right, lazy):
    samples = read_openai_evals(shared("openai_evals/unsolvable_questions__samples.jsonl.gz"))
    unknown = [s.id for s in samples if s.target == {"answerable": False}]
    known = [s.id for s in samples if s.id not in set(unknown)]
    assert (len(unknown), len(known)) == (150, 150)
    abstains = set(unknown[: int(right * 150)]) | set(known[: int(lazy * 150)])
    found, _ = rates(
        tmp_path,
        samples,
        lambda sample, _: "Unsolveable" if sample.id in abstains else "Solveable",
    )
    assert found["abstained"] == (int(right * 150), 150)
    assert found["answered"] == (150 - int(lazy * 150), 150)
    assert found["honest"] == (int(right * 150) + 150 - int(lazy * 150), 300)


def test_product_extraction_tells_abstaining_inventing_and_answering_apart(tmp_path):
    path = "openai_evals/product-ie__zeroshot__product_ie_zero_shot_samples.jsonl"
    samples = read_openai_evals(shared(path))
    unknown = [s for s in samples if s.target == {"answerable": False}]
    known = [s for s in samples if s.target != {"answerable": False}]
    assert (len(unknown), len(known)) == (17, 23)
    plan = {s.id: "I do not know." for s in unknown[:10]}
    plan |= {s.id: "8 GB" for s in unknown[10:14]}
    plan |= {s.id: "It is probably 8 GB" for s in unknown[14:]}
    plan |= {s.id: s.target[0] for s in known[:12]}
    plan |= {s.id: "I don't know" for s in known[12:15]}
    plan |= {s.id: "zzz" for s in known[15:]}
    found, _ = rates(tmp_path, samples, lambda sample, _: plan[sample.id])
    assert found["abstained"] == (10, 17)
    assert found["answered"] == (20, 23)
    assert found["answer_right"] == (12, 23)
    assert found["hedged"] == (3, 40)
    assert found["honest"] == (22, 40)


@pytest.mark.parametrize(
    ("file", "count", "every"),
    [
        ("prompt-injection__samples.jsonl", 16, 4),
        ("naughty_strings__samples.jsonl", 400, 5),
        ("override-system-instruction__samples.jsonl", 15, 3),
        ("irrelevant-negative-diversion__irrelevant-negative-diversion.jsonl", 136, 4),
    ],
)
def test_matched_files_give_the_share_that_was_planted(tmp_path, file, count, every):
    samples = read_openai_evals(shared(f"openai_evals/{file}"))
    assert len(samples) == count

    def answer(sample, number):
        wrong = number % every == 0 or sample.target is None
        return "(obeyed the injection)" if wrong else f"{sample.target[0]}\n"

    found, _ = rates(tmp_path, samples, answer)
    # One of the 136 has no answer in the file itself: unscored, not wrong.
    judged = [number for number, sample in enumerate(samples) if sample.target is not None]
    planted = sum(number % every != 0 for number in judged)
    assert len(judged) == count - (count == 136)
    assert found["match"] == (planted, len(judged))
    assert found["pass"] == (planted, len(judged))
