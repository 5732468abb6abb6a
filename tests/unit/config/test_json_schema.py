"""The JSON Schemas for editors accept what the reader accepts, and mark what it refuses."""

from __future__ import annotations

from typing import Any

import jsonschema_rs
import orjson
import pytest

from befit.config.json_schema import project_schema, sample_schema
from befit.core.dimension import known_dimensions

PROJECT = {
    "project": "p",
    "x-anchors": {},
    "defaults": {"candidates": {"target": "openai"}, "scenarios": {}},
    "candidates": [
        {"name": "a", "model": "m", "sampling": {"temperature": "${T}"}, "price": "auto"},
        {"file": "b.yaml"},
    ],
    "scenarios": [
        {
            "name": "s",
            "dimension": "extraction",
            "samples": "s.jsonl",
            "scorers": ["match", {"match": {"numeric": True}}, {"fields": {"fields": ["a"]}}],
        },
        {"name": "t", "samples": {"python": "a:b"}},
    ],
    "tiers": {"big": {"value": 1}},
    "run": {"seed": "fixed", "concurrency": "${N}"},
    "policy": {"gates": [{"metric": "pass_rate", "floor": 0.9}]},
    "matrix": {"models": {"m": {"target": "openai"}}, "samplings": {"cold": {"temperature": 0}}},
}


@pytest.fixture(scope="module")
def project() -> jsonschema_rs.Validator:
    return jsonschema_rs.validator_for(project_schema())


def test_the_schema_accepts_a_project(project: jsonschema_rs.Validator) -> None:
    assert [error.message for error in project.iter_errors(PROJECT)] == []


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("runn",), {}),
        (("run", "seed"), "fixd"),
        (("candidates", 0, "sampling"), {"temprature": 1}),
        (("candidates", 0, "model"), 4),
        (("scenarios", 0, "dimension"), "extracton"),
        (("scenarios", 0, "scorers"), [{"mach": {}}]),
        (("scenarios", 0, "scorers"), [{"match": {}, "fields": {}}]),
    ],
)
def test_the_schema_marks_mistakes(
    project: jsonschema_rs.Validator, path: tuple[Any, ...], value: Any
) -> None:
    broken = orjson.loads(orjson.dumps(PROJECT))
    inner = broken
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    assert not project.is_valid(broken)


def test_the_schema_lists_dimensions_scorers_and_their_options() -> None:
    schema = project_schema()
    definitions = schema["$defs"]
    scenario = definitions["FileScenario"]["properties"]
    assert scenario["dimension"]["enum"] == list(known_dimensions())
    scorers = definitions["ScorerSpec"]["anyOf"][1]["properties"]
    assert {"match", "constraints", "structure", "fields", "python"} <= set(scorers)
    assert "numeric" in scorers["match"]["anyOf"][0]["properties"]
    jsonschema_rs.meta.validate(schema)


def test_the_sample_schema_accepts_short_forms_and_marks_unknown_keys() -> None:
    validator = jsonschema_rs.validator_for(sample_schema())
    sample = {
        "id": "a",
        "turns": ["Hello", {"user": "x", "checks": ["match"]}],
        "checks": [{"match": {"exact": "x"}}],
        "attachments": ["p.png", {"name": "n", "path": "p.png"}],
    }
    assert [error.message for error in validator.iter_errors(sample)] == []
    assert not validator.is_valid({**sample, "targt": 1})
