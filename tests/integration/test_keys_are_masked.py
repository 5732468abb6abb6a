"""A key that turns up in an answer, a name, an error or a prompt does not enter the store."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from befit.storage.workspace import Workspace
from befit.testing.exchange import Ask
from befit.testing.script import Script
from cli_ground import PROJECT, SECRET, befit, provided, write_project

ONLY_TOTAL = PROJECT[: PROJECT.index("  - name: fields")] + PROJECT[PROJECT.index("run:") :]


def bytes_of(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in sorted((folder / ".befit").glob("workspace.db*")))


def echoing(ask: Ask) -> str:
    return f"The total of {ask.model} is 10, says {SECRET}."


def texts(folder: Path) -> str:
    """Everything of every trial, unpacked, for bodies in the store are compressed."""
    with Workspace.open(folder / ".befit") as store:
        manifest = store.find_run()
        found = [manifest.model_dump_json()]
        for fact in store.facts(manifest.id):
            trial = store.trial(fact.key_id)
            place = (fact.candidate, fact.scenario, fact.sample_id, fact.variant, fact.repeat)
            found += [repr(fact), repr(trial), repr(store.score_details(manifest.id, *place))]
        for scenario in manifest.scenarios:
            samples = store.samples(manifest.id, scenario.spec.name)
            found += [sample.model_dump_json() for sample in samples]
    return "\n".join(found)


@pytest.mark.parametrize(
    "script",
    [
        Script(),
        Script(served={"m-good": f"m-{SECRET}"}, permanent={"Invoice 1": "401"}),
    ],
    ids=["answer", "model"],
)
def test_a_key_that_the_provider_repeats_is_masked_everywhere(
    tmp_path: Path, script: Script
) -> None:
    folder = write_project(tmp_path, text=ONLY_TOTAL, n=2)
    with provided(folder, script, answer=echoing):
        ended = befit("run")
        assert "a key of this run stood in" in ended.err
        assert befit("export").code == 0
        assert SECRET not in (folder / "trials.jsonl").read_text(encoding="utf-8")
    assert SECRET not in texts(folder)
    assert SECRET.encode() not in bytes_of(folder)
    assert "says [redacted]." in texts(folder)


def test_scores_are_of_the_masked_text_and_their_spans_fit_it(tmp_path: Path) -> None:
    text = ONLY_TOTAL.replace("{match: {numeric: true}}", '{match: {regex: "says (.+)\\\\."}}')
    folder = write_project(tmp_path, text=text, n=1)
    with provided(folder, answer=echoing):
        assert befit("run").code == 0
        (trial, *_) = befit("show", "i0", "--json").data
        (score, *_) = [s for s in trial["scores"] if s["span"]]
        assert trial["output"][slice(*score["span"])] == "says [redacted]."


def test_a_key_in_a_prompt_or_a_sample_is_masked(tmp_path: Path) -> None:
    text = ONLY_TOTAL.replace("{system: Be brief.}", f'{{system: "Be brief, {SECRET}."}}')
    folder = write_project(tmp_path, text=text, n=1)
    (folder / "samples.jsonl").write_text(
        json.dumps({"id": "i0", "input": f"Total 10. {SECRET}", "target": 10}) + "\n"
    )
    with provided(folder):
        assert befit("run").code == 0
        assert befit("score").code == 0
    assert SECRET not in texts(folder)
    assert SECRET.encode() not in bytes_of(folder)


def test_the_environment_is_not_looked_up_inside_samples(tmp_path: Path) -> None:
    samples = 'samples: [{id: a, input: "Total 10 ${API_KEY} $${x}", target: 10}]'
    text = ONLY_TOTAL.replace("samples: samples.jsonl", samples)
    with provided(write_project(tmp_path, text=text)) as provider:
        ended = befit("run")
        assert ended.code == 0
        assert "samples are data" in ended.err
        assert any("${API_KEY} ${x}" in json.dumps(request.body) for request in provider.requests)


@pytest.mark.parametrize(
    ("url", "word"),
    [
        ("http://127.0.0.1:1/v1?key=abcdefgh", "key"),
        ("http://127.0.0.1:1/v1?api_key=abcdefgh", "api_key"),
        ("http://127.0.0.1:1/v1?version=2&x=sk-abcdefghijklmnop", "x"),
        ("http://user@127.0.0.1:1/v1", "user or password"),
        ("http://user:word@127.0.0.1:1/v1", "user or password"),
    ],
)
def test_a_secret_in_base_url_is_refused_in_one_line_that_names_the_way(
    tmp_path: Path, url: str, word: str
) -> None:
    folder = write_project(tmp_path, text=ONLY_TOTAL.replace("${BASE_URL}", f'"{url}"', 1))
    with provided(folder) as provider:
        ended = befit("run")
        assert ended.code == 2
        assert word in ended.err
        assert "use api_key, which is sent as a header" in ended.err
        assert not (folder / ".befit").exists()
        assert provider.requests == []


def test_a_version_in_the_query_of_base_url_is_no_secret(tmp_path: Path) -> None:
    text = ONLY_TOTAL.replace("${BASE_URL}", '"http://127.0.0.1:1/v1?api-version=2024-10-21"')
    with provided(write_project(tmp_path, text=text)):
        assert befit("plan").code == 0


def test_a_target_with_a_masked_value_is_met_by_the_answer_that_repeats_it(tmp_path: Path) -> None:
    text = ONLY_TOTAL.replace("{match: {numeric: true}}", "{match: {}}")
    folder = write_project(tmp_path, text=text, n=1)
    (folder / "samples.jsonl").write_text(
        json.dumps({"id": "i0", "input": "Say it.", "target": f"the key is {SECRET}"}) + "\n"
    )
    with provided(folder, answer=lambda _ask: f"the key is {SECRET}"):
        for verb in ("run", "score"):
            assert befit(verb).code == 0
            trials = befit("show", "i0", "--json").data
            passes = [s["value"] for t in trials for s in t["scores"] if s["name"] == "pass"]
            assert passes
            assert set(passes) == {1.0}
    assert SECRET not in texts(folder)
