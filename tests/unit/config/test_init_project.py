"""What `init` writes loads, fits its own schema, and follows from the answers."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import jsonschema_rs
import orjson
import pytest

from befit.config.init import SCHEMA_FILE, write_project
from befit.config.init_answers import LANGUAGES, TASKS, TEMPLATES, Answers, questions
from befit.config.json_schema import sample_schema
from befit.config.load import load_project
from befit.config.scorer_check import ScorerBook
from befit.core.completion import Completion
from befit.core.trial import Trial, TrialKey
from befit.datasets.files_tree import plain
from befit.datasets.files_yaml import read_yaml
from befit.engine.render import render
from befit.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path

EVERYTHING = Answers(
    template="custom",
    project="desk",
    tasks=tuple(TASKS),
    critical="extraction",
    cost_of_error=2.5,
    volume=500,
    latency=3,
    languages=("de", "ja"),
)


def answers_for(template: str) -> Answers:
    return EVERYTHING if template == "custom" else Answers.model_validate({"template": template})


@pytest.mark.parametrize("template", TEMPLATES)
def test_every_template_loads_without_problems_or_warnings(template: str, tmp_path: Path) -> None:
    write_project(tmp_path, answers_for(template))
    project = load_project(tmp_path, environment={})
    assert list(project.warnings) == []
    assert len(project.candidates) == 2
    for scenario in project.scenarios:
        assert project.summaries[scenario.name].n >= 5
        assert scenario.spec.success
        assert scenario.spec.failure_modes


@pytest.mark.parametrize("template", TEMPLATES)
def test_a_wrong_field_has_a_mode_and_a_wrong_format_only_where_format_counts(
    template: str, tmp_path: Path
) -> None:
    write_project(tmp_path, answers_for(template))
    for scenario in load_project(tmp_path, environment={}).scenarios:
        fields = [one for one in scenario.spec.scorers if one.name == "fields"]
        if not fields:
            continue
        labels = [mode.label for mode in scenario.spec.failure_modes]
        assert labels[-1] == "wrong"  # the most general one stands last
        counts = any(one.options.get("format_counts") for one in fields)
        assert ("wrong_format" in labels) == counts


@pytest.mark.parametrize("template", TEMPLATES)
def test_what_is_written_fits_the_schema_beside_it(template: str, tmp_path: Path) -> None:
    write_project(tmp_path, answers_for(template))
    text = (tmp_path / "befit.yaml").read_text()
    assert text.splitlines()[0] == f"# yaml-language-server: $schema={SCHEMA_FILE}"
    assert "@@" not in text
    tree, problems = read_yaml(text, file="befit.yaml")
    assert problems == []
    assert tree is not None
    schema = orjson.loads((tmp_path / SCHEMA_FILE).read_bytes())
    jsonschema_rs.validator_for(schema).validate(plain(tree))
    samples = jsonschema_rs.validator_for(sample_schema())
    for path in (tmp_path / "samples").glob("*.jsonl"):
        for line in path.read_text().splitlines():
            samples.validate(orjson.loads(line))


def test_every_task_has_five_cases_and_not_only_typical_ones(tmp_path: Path) -> None:
    write_project(tmp_path, EVERYTHING)
    project = load_project(tmp_path, environment={})
    summaries = dict(project.summaries)
    language = summaries.pop("language")
    assert language.languages == {"de": 5, "ja": 5}
    assert {summary.n for summary in summaries.values()} == {5}
    assert all(len(summary.kinds) > 1 for summary in summaries.values())


def test_the_answers_decide_tier_gate_latency_and_criticality(tmp_path: Path) -> None:
    write_project(tmp_path, EVERYTHING)
    project = load_project(tmp_path, environment={})
    (tier,) = project.tiers
    assert (tier.cost_of_error, tier.volume_per_month) == (2.5, 500)
    assert [s.name for s in project.scenarios if s.spec.critical] == ["extraction"]
    assert {s.spec.accept.latency for s in project.scenarios} == {3}
    assert [(g.scenario, g.floor) for g in project.policy.gates] == [("extraction", 0.5)]
    assert project.name == "desk"


def test_other_languages_add_a_scenario(tmp_path: Path) -> None:
    write_project(tmp_path, Answers(tasks=("knowledge",), languages=("en", "fr", "sv")))
    project = load_project(tmp_path, environment={})
    assert [s.spec.dimension for s in project.scenarios] == ["knowledge", "language"]
    assert set(project.summaries["language"].languages) == {"en", "fr"}
    assert "No sample cases are shipped for: sv" in (tmp_path / "befit.yaml").read_text()


def test_init_never_writes_over_a_file_and_then_writes_nothing(tmp_path: Path) -> None:
    (tmp_path / ".gitignore").write_text("mine\n")
    with pytest.raises(UsageError, match="already there"):
        write_project(tmp_path, Answers())
    assert [path.name for path in tmp_path.iterdir()] == [".gitignore"]
    assert (tmp_path / ".gitignore").read_text() == "mine\n"


@pytest.mark.parametrize(
    ("answers", "words"),
    [
        (Answers(tasks=("extracton",)), "did you mean 'extraction'?"),
        (Answers(critical="reasoning"), "none of the tasks"),
        (Answers(tasks=()), "no task is chosen"),
    ],
)
def test_wrong_answers_are_refused_with_advice(
    answers: Answers, words: str, tmp_path: Path
) -> None:
    with pytest.raises(UsageError) as caught:
        write_project(tmp_path, answers)
    assert words in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_keys_are_never_written_into_the_project(tmp_path: Path) -> None:
    written = write_project(tmp_path, Answers())
    assert written[0].name == "befit.yaml"
    assert "OPENAI_API_KEY=\n" in (tmp_path / ".env.example").read_text()
    kept_out = (tmp_path / ".gitignore").read_text().splitlines()
    assert {".env", ".befit/", "befit-demo/"} <= set(kept_out)


def test_each_question_is_an_answer_with_that_default() -> None:
    defaults = Answers()
    for question in questions():
        value = getattr(defaults, question.key)
        shown = ",".join(value) if isinstance(value, tuple) else value
        assert question.default == (
            "" if shown is None else f"{shown:g}" if isinstance(shown, float) else str(shown)
        )
    assert "tasks" not in {question.key for question in questions("support")}
    assert set(LANGUAGES) == set(next(q for q in questions() if q.key == "languages").choices)


def test_the_walkthrough_is_20_documents_of_many_types_with_10_fields(tmp_path: Path) -> None:
    write_project(tmp_path, Answers(template="extraction"))
    project = load_project(tmp_path, environment={})
    (scenario,) = project.scenarios
    samples = list(scenario.samples.load())
    assert len(samples) == 20
    assert scenario.spec.repeats == 3
    assert len({sample.target["document_type"] for sample in samples}) >= 15
    assert {len(sample.target) for sample in samples} == {10}
    absent = Counter(
        name for sample in samples for name, value in sample.target.items() if value is None
    )
    assert sum(absent.values()) >= 40
    assert len(absent) >= 7
    assert {sample.kind for sample in samples} == {"typical", "edge", "adversarial"}
    for sample in samples:
        assert isinstance(sample.input, str)
        assert 60 <= len(sample.input.split()) <= 120, sample.id
        for candidate in project.candidates:
            shown = "".join(m.text for m in render(scenario.spec, candidate, sample))
            assert len(shown) < 3600  # about 800 tokens of English, two examples included


def test_the_texts_and_codes_expected_stand_in_the_documents(tmp_path: Path) -> None:
    write_project(tmp_path, Answers(template="extraction"))
    project = load_project(tmp_path, environment={})
    for sample in project.scenarios[0].samples.load():
        for name in ("sender", "recipient", "reference", "city"):
            value = sample.target[name]
            assert value is None or value.lower() in str(sample.input).lower(), (sample.id, name)


def test_the_expected_answers_of_the_walkthrough_are_scored_as_complete(tmp_path: Path) -> None:
    write_project(tmp_path, Answers(template="extraction"))
    (scenario,) = load_project(tmp_path, environment={}).scenarios
    scorer = ScorerBook().check(scenario.spec.scorers[0]).scorer
    assert scorer is not None
    for sample in scenario.samples.load():
        answer = {k: "not found" if v is None else v for k, v in sample.target.items()}
        assert score_of(scorer, sample, answer) == 1.0
        guessed = {k: "2026-01-01" if v is None else v for k, v in sample.target.items()}
        if guessed != sample.target:
            assert score_of(scorer, sample, guessed) == 0.0


def score_of(scorer: object, sample: object, answer: dict[str, object]) -> float | None:
    trial = Trial(
        key=TrialKey("c", "e", "i", "", 0),
        transcript=(),
        completions=(Completion(text=orjson.dumps(answer).decode()),),
    )
    scores = scorer.score(sample, trial)  # type: ignore[attr-defined]
    return next(s.value for s in scores if s.name == "document_complete" and s.part is None)
