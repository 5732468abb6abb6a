"""What comes from the environment is sent where it has to be, and is kept nowhere."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest

from befit.config.load import load_project
from befit.errors import ProjectError
from befit.targets.anthropic import AnthropicTarget
from befit.targets.openai import OpenAITarget
from befit.testing.exchange import Ask
from cli_ground import PROJECT, SECRET, befit, provided, write_project

ONLY_TOTAL = PROJECT[: PROJECT.index("  - name: fields")] + PROJECT[PROJECT.index("run:") :]
VALUE = "hdr-51c7"
SHORT = "q7z!"
WITH_OPTIONS = ONLY_TOTAL.replace(
    "    api_key: ${API_KEY}\n",
    "    api_key: ${API_KEY}\n    options:\n"
    "      headers: {X-Extra: 'v1 ${HDR}', X-Short: '${SHORT}'}\n"
    "      extra_body: {route: {to: ['${HDR}']}}\n",
)


def kept(folder: Path) -> str:
    """Every text of the database that is not packed, and what the verbs write of the run."""
    for form in ("html", "json"):
        assert befit("report", "--format", form, "--out", str(folder / f"r.{form}")).code == 0
    assert befit("export", "--out", str(folder / "out.jsonl")).code == 0
    files = [folder / name for name in ("r.html", "r.json", "out.jsonl")]
    written = [path.read_text(encoding="utf-8") for path in files]
    with sqlite3.connect(folder / ".befit" / "workspace.db") as store:
        return "\n".join([*written, *store.iterdump()])


def raw(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in sorted((folder / ".befit").glob("workspace.db*")))


def test_headers_and_body_fields_of_the_environment_are_sent_and_not_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HDR", VALUE)
    monkeypatch.setenv("SHORT", SHORT)

    def echoing(_ask: Ask) -> str:
        return f"10, says {VALUE}"

    folder = write_project(tmp_path, text=WITH_OPTIONS, n=2)
    with provided(folder, answer=echoing) as provider:
        ended = befit("run")
        assert ended.code == 0
        assert "keep secrets out" not in ended.err
        asked = provider.requests
        assert asked
        assert {request.body["route"]["to"][0] for request in asked} == {VALUE}
        assert {request.headers["X-Extra"] for request in asked} == {f"v1 {VALUE}"}
        assert {request.headers["X-Short"] for request in asked} == {SHORT}
        found = kept(folder)
    assert VALUE not in found
    assert SHORT not in found
    assert VALUE.encode() not in raw(folder)
    assert "[redacted]" in found


@pytest.mark.parametrize("kind", [OpenAITarget, AnthropicTarget])
def test_a_target_knows_the_values_it_must_not_repeat(
    tmp_path: Path, kind: type[OpenAITarget | AnthropicTarget]
) -> None:
    folder = write_project(tmp_path, text=WITH_OPTIONS)
    held = {"BASE_URL": "http://h/v1", "API_KEY": SECRET, "HDR": VALUE, "SHORT": SHORT}
    candidate = load_project(folder, environment=held).candidates[0]
    assert {SECRET, VALUE, f"v1 {VALUE}", SHORT} == set(kind(candidate).secrets)


def test_another_value_of_a_header_is_the_same_candidate(tmp_path: Path) -> None:
    folder = write_project(tmp_path, text=WITH_OPTIONS)
    held = {"BASE_URL": "http://h/v1", "API_KEY": SECRET, "SHORT": SHORT}
    first, second = (
        load_project(folder, environment={**held, "HDR": value}).candidates[0]
        for value in (VALUE, "another-value")
    )
    assert first.fingerprint == second.fingerprint
    assert first.options["headers"]["X-Extra"] == f"v1 {VALUE}"
    assert VALUE not in repr(first)
    assert VALUE not in json.dumps(first.model_dump(mode="json"))


def test_a_header_written_once_for_all_is_a_secret_where_it_is_used(tmp_path: Path) -> None:
    (tmp_path / "body.yaml").write_text("{extra_body: {k: '${HDR}'}}")
    text = ONLY_TOTAL.replace(
        "candidates:\n", "x-headers: &all {X-One: '${MY_TOKEN}', X-Two: '${HDR}'}\ncandidates:\n", 1
    )
    text = text.replace(
        "    api_key: ${API_KEY}\n",
        "    api_key: ${API_KEY}\n    options: {file: body.yaml, headers: *all}\n",
    )
    folder = write_project(tmp_path, text=text)
    held = {"BASE_URL": "http://h/v1", "API_KEY": SECRET, "MY_TOKEN": SHORT, "HDR": VALUE}
    for candidate in load_project(folder, environment=held).candidates:
        assert candidate.options["headers"] == {"X-One": SHORT, "X-Two": VALUE}
        assert candidate.model_dump()["options"] == {
            "headers": {"X-One": "[redacted]", "X-Two": "[redacted]"},
            "extra_body": {"k": "[redacted]"},
        }


@pytest.mark.parametrize(("words", "code"), [((), 0), (("--until-decided",), 4)])
def test_a_key_given_as_label_is_masked_in_the_keys_of_trials(
    tmp_path: Path, words: tuple[str, ...], code: int
) -> None:
    folder = write_project(tmp_path, text=ONLY_TOTAL, n=2)
    with provided(folder):
        assert befit("run", "--label", SECRET, *words).code == code
    assert SECRET.encode() not in raw(folder)
    with sqlite3.connect(folder / ".befit" / "workspace.db") as store:
        assert not [line for line in store.iterdump() if SECRET in line]


@pytest.mark.parametrize(
    ("old", "new", "where"),
    [
        ("seed: 7}", 'seed: 7, label: "${API_KEY}"}', "run.label"),
        ("{system: Be brief.}", '{system: "Be ${MY_TOKEN}."}', "candidates[1].prompt.system"),
        ("m-good", '"${DB_PASSWORD_2}"', "candidates[0].model"),
    ],
)
def test_a_secret_where_it_would_be_stored_is_refused_in_one_line(
    tmp_path: Path, old: str, new: str, where: str
) -> None:
    folder = write_project(tmp_path, text=ONLY_TOTAL.replace(old, new))
    held = dict.fromkeys(("MY_TOKEN", "API_KEY", "DB_PASSWORD_2"), SECRET)
    with pytest.raises(ProjectError) as caught:
        load_project(folder, environment={"BASE_URL": "http://h/v1", **held})
    (problem,) = caught.value.problems
    assert where in problem.where
    assert "looks like a secret" in problem.what
    assert SECRET not in str(problem)


def test_any_other_variable_in_a_prompt_is_told_of(tmp_path: Path) -> None:
    text = ONLY_TOTAL.replace("{system: Be brief.}", '{system: "You serve ${FIRM}."}')
    folder = write_project(
        tmp_path, text=text.replace("max_tokens: 20", 'max_tokens: "${MAX_TOKENS}"')
    )
    held = {"BASE_URL": "http://h/v1", "API_KEY": SECRET, "FIRM": "Acme", "MAX_TOKENS": "20"}
    project = load_project(folder, environment=held)
    (told,) = [one for one in project.warnings if "'FIRM'" in one]
    assert "sent to the model and stored with every answer" in told
    assert project.candidates[1].prompt.system == "You serve Acme."


def with_options(options: str) -> str:
    key = "    api_key: ${API_KEY}\n"
    return ONLY_TOTAL.replace(key, f"{key}    options: {options}\n", 1)


@pytest.mark.parametrize(
    "name", ["X-Auth", "Ocp-Apim-Subscription-Key", "PRIVATE-TOKEN", "X-Session"]
)
def test_a_secret_written_out_in_a_header_of_any_name_is_refused(tmp_path: Path, name: str) -> None:
    folder = write_project(tmp_path, text=with_options(f"{{headers: {{{name}: abc12345}}}}"))
    held = {"BASE_URL": "http://h/v1", "API_KEY": SECRET}
    with pytest.raises(ProjectError, match="looks like a secret"):
        load_project(folder, environment=held)
    other = write_project(tmp_path, text=with_options("{headers: {X-Author: abc12345}}"))
    assert load_project(other, environment=held).candidates[0].options["headers"]


def test_a_setting_from_the_environment_whose_change_nobody_sees_is_told_of(tmp_path: Path) -> None:
    text = with_options('{extra_body: {reasoning_effort: "${EFFORT}"}}')
    held = {"BASE_URL": "http://h/v1", "API_KEY": SECRET, "EFFORT": "low"}
    project = load_project(write_project(tmp_path, text=text), environment=held)
    (told,) = [one for one in project.warnings if "'EFFORT'" in one]
    assert "stored answers are taken again" in told
