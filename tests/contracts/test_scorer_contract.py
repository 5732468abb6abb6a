"""Every registered scorer keeps the contract; a scorer without a case here fails the suite."""

from __future__ import annotations

import pytest

from befit.core.sample import Sample
from befit.plugins import available, load
from befit.testing.scorers import ScorerContract

REGISTERED = list(available("befit.scorers"))


def own_rule(sample, trial):
    return None if sample.target is None else float(str(sample.target) in trial.output)


QUESTION = Sample(id="1", input="What is 40 + 2?", target="42")
DOCUMENT = Sample(id="2", input="Ann, 3", target={"name": "Ann", "number": 3})
CALL = Sample(
    id="4", input="Weather?", target=[{"name": "weather", "arguments": {"city": "Paris"}}]
)

CODE = Sample(
    id="code",
    input="?",
    target={"tests": ["assert add(1, 1) == 2"], "files": {"a.py": "b = 1"}, "uses": ["b"]},
)

CASES = {
    "match": [
        ({}, QUESTION),
        ({"numeric": True}, QUESTION),
        ({"contains": True}, QUESTION),
        ({"regex": r"\b4\d\b"}, QUESTION),
        ({"choice": True}, Sample(id="3", input="A or B?", target="A")),
    ],
    "constraints": [
        ({"instructions": [{"kind": "words", "at_most": 5}, {"kind": "json_only"}]}, QUESTION),
    ],
    "structure": [
        ({}, QUESTION),
        ({"schema": {"type": "object", "required": ["a"]}}, QUESTION),
        ({"format": "csv", "columns": ["a", "b"]}, QUESTION),
        ({"format": "markdown", "rows": 1}, QUESTION),
    ],
    "fields": [({"fields": {"name": "text", "number": "number"}}, DOCUMENT)],
    "honesty": [
        ({}, QUESTION),
        ({}, Sample(id="5", input="?", target={"answerable": False})),
    ],
    "recovery": [({"seeded": "wrong"}, QUESTION), ({}, QUESTION)],
    "recall": [
        ({}, Sample(id="6", input="?", target=["forty-two"])),
        (
            {"cite": True},
            Sample(
                id="7",
                input="?",
                target={
                    "facts": [{"id": "a", "text": "42", "position": 0.5, "source": "d"}],
                    "absent": ["43"],
                    "passages": {"d": "42"},
                },
            ),
        ),
    ],
    "chain": [({}, Sample(id="8", input="?", target=["open", "close"]))],
    "conversation": [({}, QUESTION), ({"agree": [[1, 2]]}, QUESTION)],
    "judge": [({"rubric": "It is polite."}, QUESTION), ({"mode": "pairwise"}, QUESTION)],
    "tool_calls": [({}, CALL), ({"read": "text"}, CALL)],
    "language": [({"code": "de"}, QUESTION), ({}, QUESTION)],
    "code": [({"tests": ["assert add(2, 3) == 5"], "seconds": 5}, CODE)],
    "convert": [
        ({"to": form}, Sample(id="9", input="?", target=[{"a": "1", "b": "x"}]))
        for form in ("csv", "json", "yaml", "xml", "markdown")
    ],
    "summary": [
        ({"length": {"words": 5}}, Sample(id="10", input="42 and 43", target={"facts": ["42"]}))
    ],
    "generation": [
        (
            {"constraints": [{"kind": "words", "at_most": 5}], "numbers": True},
            Sample(id="11", input="?", target={"facts": ["42"], "untouched": ["is"]}),
        )
    ],
    "vision": [
        ({}, Sample(id="12", input="?", target=target, tags=("text", "retrieval")))
        for target in (
            "42",
            {"number": 42},
            {"nodes": ["a", "b"], "edges": [["a", "b"]]},
            {"columns": ["a", "b"], "rows": [["1", "2"]]},
            {"regions": ["4", "2"]},
            {"box": [0, 0, 1, 1]},
            {"inside": [0, 0, 1, 1]},
        )
    ],
    "python": [({"function": f"{__name__}:own_rule"}, QUESTION)],
}


def test_every_registered_scorer_is_held_to_the_contract():
    assert set(REGISTERED) == set(CASES)


@pytest.mark.parametrize(
    ("name", "options", "sample"),
    [
        pytest.param(name, options, sample, id=f"{name}-{number}")
        for name, cases in CASES.items()
        for number, (options, sample) in enumerate(cases)
    ],
)
class TestRegisteredScorers(ScorerContract):
    @pytest.fixture(autouse=True)
    def _made(self, name, options, sample):
        self._type = load("befit.scorers", name)
        self._options = options
        self._sample = sample

    def scorer(self):
        return self._type(self._type.Options.model_validate(self._options))

    def sample(self):
        return self._sample
