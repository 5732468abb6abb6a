"""`befit data ...`: exit codes, one-line errors, and one JSON document on stdout."""

from __future__ import annotations

import json

import pytest

import cli_ground

PAIR = {"id": "x", "request": {"messages": [{"role": "user", "content": "Mail a@example.org?"}]},
        "response": {"choices": [{"message": {"content": "Yes."}}]}}  # fmt: skip


@pytest.fixture
def befit(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines = [json.dumps(PAIR | {"id": f"x{i}"}) for i in range(3)]
    (tmp_path / "log.jsonl").write_text("\n".join([*lines, "{"]) + "\n", encoding="utf-8")
    sample = {"id": "a", "input": "Total 120 EUR for item 7", "target": 120}
    (tmp_path / "set.jsonl").write_text(json.dumps(sample) + "\n", encoding="utf-8")

    def run(*words):
        return cli_ground.befit("data", *words)

    return run


def data(done):
    document = json.loads(done.out)
    assert document["ok"]
    return document["data"]


def test_import_and_sample_tell_their_counts(befit, tmp_path):
    held = data(befit("import", "log.jsonl", "--skipped", "skipped.jsonl", "--json"))
    assert (held["lines"], held["stored"], held["broken"]) == (4, 3, 1)
    assert held["replaced"] == {"EMAIL": 3}
    assert json.loads((tmp_path / "skipped.jsonl").read_text())["line"] == 4
    made = data(befit("sample", "mails", "--out", "mails.jsonl", "-n", "10", "--json"))
    assert made["samples"] == 1
    assert set(made["smallest_gap"]) == {"50", "100", "200", "500"}
    assert json.loads((tmp_path / "mails.jsonl").read_text())["weight"] == 3.0


def test_metadata_places_an_exchange_and_keys_that_no_stratum_knows_are_named(befit, tmp_path):
    def line(i, intent, channel):
        asked = {"role": "user", "content": f"{i} {intent}?"}
        said = {"role": "assistant", "content": "Yes."}
        about = {"intent": intent, "channel": channel, "tenant": "north", "route": "/chat"}
        return json.dumps({"messages": [asked, said], "metadata": about})

    told = [line(0, "refund", "mail"), line(1, "refund", "app"), line(2, "order", "app")]
    (tmp_path / "chat.jsonl").write_text("\n".join(told), encoding="utf-8")
    done = befit("import", "chat.jsonl")
    assert "strata do not know: tenant (3)\n" in done.err
    again = data(befit("import", "chat.jsonl", "--json"))
    assert (again["known"], again["unplaced"]) == (3, {"tenant": 3})
    assert befit("sample", "mails", "--out", "mails.jsonl", "--by", "channel,route").code == 0
    made = [json.loads(one)["tags"] for one in (tmp_path / "mails.jsonl").read_text().splitlines()]
    assert {tags[0] for tags in made} == {"channel:app", "channel:mail"}
    assert {tags[1] for tags in made} == {"route:/chat"}


def test_lint_says_by_its_exit_code_that_something_is_wrong(befit, tmp_path):
    assert befit("lint", "set.jsonl").code == 0
    (tmp_path / "bare.jsonl").write_text('{"id": "a", "input": "x"}\n', encoding="utf-8")
    done = befit("lint", "bare.jsonl")
    assert done.code == 8
    assert "unlabelled" in done.out


def test_the_set_of_a_template_lints_without_an_error(befit, monkeypatch, tmp_path):
    assert cli_ground.befit("init", "desk", "--template", "support", "--yes").code == 0
    monkeypatch.chdir(tmp_path / "desk")
    done = befit("lint", "support-routing")
    assert (done.code, "error" in done.out) == (0, False)


def test_every_verb_of_a_set_answers_in_json(befit, tmp_path):
    assert data(befit("variants", "set.jsonl", "--class", "empty", "--json"))["variants"] == 1
    assert data(befit("freeze", "set.jsonl", "v1", "--author", "Ann", "--json"))["n_samples"] == 2
    assert data(befit("retire", "set.jsonl", "a+empty", "--json"))["live"] == 1
    assert data(befit("status", "set.jsonl", "--json"))["retired"] == 1
    assert data(befit("refresh", "set.jsonl", "--json"))["retire"] == 0
    (tmp_path / "more.jsonl").write_text('{"id": "b", "input": "y"}\n', encoding="utf-8")
    assert data(befit("add", "set.jsonl", "more.jsonl", "--json"))["live"] == 2
    assert data(befit("label", "set.jsonl", "--state", "--json"))["samples"] == 2


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (["import", "none.jsonl"], 8, "there is no such file"),
        (["import", "log.jsonl", "--format", "openai-chta"], 2, "did you mean 'openai-chat'"),
        (["import", "log.jsonl", "--keep", "emial"], 2, "did you mean 'email'"),
        (["import", "log.jsonl", "--locale", "xx"], 2, "unknown locale 'xx'"),
        (["variants", "set.jsonl", "--class", "typo"], 2, "did you mean 'typos'"),
        (["retire", "set.jsonl", "zz"], 2, "there is no live sample 'zz'"),
        (["label", "none.jsonl"], 2, "there is no sample file"),
        (["label", "set.jsonl", "--import", "set.jsonl"], 2, "say whose labels these are"),
        (["refresh", "set.jsonl", "--approve", "log.jsonl"], 8, "this is no change set"),
    ],
)
def test_what_is_wrong_is_told_in_one_block(befit, words, code, told):
    done = befit(*words)
    assert done.code == code
    assert told in done.err
    assert "Traceback" not in done.err
