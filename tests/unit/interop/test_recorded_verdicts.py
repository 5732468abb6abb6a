"""Verdicts that others have recorded: matching, pairwise votes, annotators as judges."""

from __future__ import annotations

import csv
import json
import re

import numpy as np
import pytest

from befit.core.completion import Completion
from befit.core.sample import Sample
from befit.core.trial import Trial, TrialKey
from befit.scorers.judge import Judge
from befit.scorers.judge_words import neutral
from befit.scorers.match import Match
from befit.stats.bradleyterry import fit_bradley_terry
from befit.stats.kappa import cohen_kappa, confusion, raw_agreement
from shared_data import shared

SYSTEMS = ("6b_finetuning", "6b_verification", "175b_finetuning", "175b_verification")


def trial(text):
    return Trial(
        key=TrialKey("c", "e", "i", "", 0), transcript=(), completions=(Completion(text=text),)
    )


def lines(name):
    return [json.loads(line) for line in shared(name).read_text("utf-8").splitlines() if line]


@pytest.mark.parametrize("system", SYSTEMS)
def test_match_agrees_with_all_recorded_verdicts_on_word_problems(system):
    match = Match(Match.Options.model_validate({"numeric": True, "after": "A:"}))
    other = []
    rows = lines("gsm8k/example_model_solutions_first200.jsonl")
    assert len(rows) == 200
    for number, row in enumerate(rows):
        target = row["ground_truth"].rpartition("A:")[2].strip()
        sample = Sample(id=str(number), input=row["question"], target=target)
        (score,) = match.score(sample, trial(row[system]["solution"]))
        if score.value != float(row[system]["is_correct"]):
            other.append((number, score.answer, row[system]["is_correct"]))
    assert other == []


PAIRWISE = Judge(Judge.Options.model_validate({"mode": "pairwise"}))


def voted(question, left, right, choose):
    """Send one pair through the judge's own path; `choose(first, second)` is the vote."""
    sample = Sample(id="p", input=question, target=right)
    done = trial(left)
    replies = []
    for request in PAIRWISE.ask(sample, done):
        code = re.search(r'the text "(\w+)"', request.messages[0].text).group(1)
        shown = request.messages[1].text
        first, second = (
            re.search(rf"<<{n} answer (\w+)>>\n(.*?)\n<<end of {n} answer \1>>", shown, re.DOTALL)[
                2
            ]
            for n in ("first", "second")
        )
        word = choose(first, second)
        replies.append(Completion(text=json.dumps({"reason": "", "verdict": word, "code": code})))
    found = {s.name: s.value for s in PAIRWISE.read(sample, done, replies) if s.part is None}
    assert found["judge_parsed"] == 1.0
    return found["judge_preference"]


def test_an_annotator_as_judge_agrees_with_the_others_as_computed_by_hand():
    rows = json.loads(shared("pandalm/testset-v1_first150.json").read_text("utf-8"))
    assert len(rows) == 150
    marks = {0: 0.5, 1: 1.0, 2: 0.0}
    judged = []
    for row in rows:
        vote = row["annotator1"]

        def choose(first, _second, row=row, vote=vote):
            swapped = marked(first) != marked(row["response1"])
            if vote == 0 or marked(row["response1"]) == marked(row["response2"]):
                return "tie"
            return "second" if (vote == 1) == swapped else "first"

        judged.append(voted(row["instruction"], row["response1"], row["response2"], choose))
    one = [marks[row["annotator1"]] for row in rows]
    for other in ("annotator2", "annotator3"):
        votes = [marks[row[other]] for row in rows]
        by_hand = sum(a == b for a, b in zip(one, votes, strict=True)) / 150
        table = confusion(np.array(judged) * 2, np.array(votes) * 2)
        assert raw_agreement(table) == pytest.approx(by_hand)
        expected = sum((one.count(m) / 150) * (votes.count(m) / 150) for m in marks.values())
        kappa = (by_hand - expected) / (1 - expected)
        assert cohen_kappa(table) == pytest.approx(kappa)
    assert judged == one


def marked(text):
    """How a text is shown to a judge: marks broken up, control characters replaced."""
    return neutral(text)


def test_recorded_pairwise_votes_go_through_the_pairwise_path():
    answers = {(r["prompt"], r["model"]): r["result"] for r in lines("llmfao/results.jsonl")}
    with shared("llmfao/gpt3-crowd-comparisons.csv").open(newline="") as file:
        votes = list(csv.DictReader(file))
    marks = {"left": 1.0, "right": 0.0, "tie": 0.5}
    pairs, skipped = [], 0
    for vote in votes:
        prompt, x, y = (int(vote[key]) for key in ("prompt", "model_x", "model_y"))
        left, right = answers.get((prompt, x)), answers.get((prompt, y))
        if not left or not right or left == right:
            skipped += 1
            continue
        word = vote["winner"]

        def choose(first, _second, left=left, word=word):
            if word == "tie":
                return "tie"
            straight = first == marked(left)
            return "first" if (word == "left") == straight else "second"

        found = voted(str(prompt), left, right, choose)
        assert found == marks[word]
        pairs.append((x, y, found))
    assert len(pairs) > 1_000
    assert skipped < 0.1 * len(votes)
    models = sorted({m for x, y, _ in pairs for m in (x, y)})
    code = {model: number for number, model in enumerate(models)}
    fit = fit_bradley_terry(
        [code[x] for x, _, _ in pairs],
        [code[y] for _, y, _ in pairs],
        [value for _, _, value in pairs],
        candidates=len(models),
    )
    assert np.isfinite(fit.strengths).all()


def test_a_judge_that_always_takes_the_first_is_a_tie_everywhere():
    assert voted("q", "one answer", "another", lambda *_: "first") == 0.5
