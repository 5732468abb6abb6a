"""Two models' recorded English answers, judged here and compared with the recorded verdicts."""

from __future__ import annotations

import json

import pytest

from befit.core.completion import Completion
from befit.core.sample import Sample
from befit.core.trial import Trial, TrialKey
from befit.interop.ifeval import checks, verdicts
from befit.scorers.constraints import Constraints
from shared_data import shared

KEY = TrialKey(candidate="c", execution="e", input="i", variant="", repeat=0)
# Each known disagreement: model, record, instruction, reading, and who is right.
RANDOM_LETTER = (
    "we are: four '#' stand there and four are asked. The original replaces a letter that is "
    "not a-z by a random one, so its loose verdict is below its own strict one, which cannot be"
)
ONE_WORD = (
    "we are: the answer is the single word 'inscriptions', which is English. The original's "
    "unseeded language guess said no when read strictly and yes when read loosely"
)
KNOWN = {
    ("gpt-4o-mini-2024-07-18", "en:keywords:letter_frequency", "loose", True): RANDOM_LETTER,
    ("gpt-4o-mini-2024-07-18", "en:change_case:english_lowercase", "strict", True): ONE_WORD,
    ("mistralai__Mistral-7B-Instruct-v0.3", "en:keywords:letter_frequency", "loose", True): (
        RANDOM_LETTER
    ),
}


def _lines(name):
    return [json.loads(line) for line in shared(name).read_text("utf-8").splitlines()]


@pytest.mark.parametrize("model", sorted({key[0] for key in KNOWN}))
def test_verdicts_agree_with_the_recorded_ones_but_for_known_errors_in_the_record(model):
    asked = {line["prompt"]: checks(line) for line in _lines("ifeval/en_input_data.jsonl")}
    compared = {"strict": 0, "loose": 0}
    misses = []
    for record in _lines(f"ifeval/responses_en_{model}.jsonl"):
        options = Constraints.Options.model_validate(asked[record["prompt"]].options)
        trial = Trial(key=KEY, transcript=(), completions=(Completion(text=record["response"]),))
        sample = Sample(id="s", input=record["prompt"])
        scores = Constraints(options).score(sample, trial)
        for reading, name in (("strict", "instruction"), ("loose", "instruction_loose")):
            ours = verdicts([(s.part, s.value == 1.0) for s in scores if s.name == name])
            ids = record["instruction_id_list"]
            for one, mine, theirs in zip(ids, ours, record[reading], strict=True):
                compared[reading] += 1
                if mine != theirs:
                    misses.append((model, one, reading, mine))

    assert compared == {"strict": 318, "loose": 318}
    assert sorted(misses) == sorted(key for key in KNOWN if key[0] == model)


def test_every_published_english_instruction_can_be_expressed():
    lines = _lines("ifeval/en_input_data.jsonl")
    total = sum(len(line["instruction_id_list"]) for line in lines)
    for line in lines:
        Constraints(Constraints.Options.model_validate(checks(line).options))

    assert (len(lines), total) == (541, 834)
    assert len({one for line in lines for one in line["instruction_id_list"]}) == 25
