"""Planted causes are found, and where there is none, none is: settings, batching, a cut context."""

from __future__ import annotations

from dataclasses import replace

import pytest

from befit.analysis.causes import Measured, Sent, beginnings, contrast, says
from befit.analysis.causes_result import Causes
from befit.config.load import load_project
from befit.pipeline.causes import CausesPlan, look_for_causes
from befit.pipeline.measured import causes_found, keep_causes
from befit.pipeline.reporting import make_document
from befit.pipeline.running import run_project
from befit.report.html import render
from befit.report.json import to_json
from befit.storage.workspace import Workspace

MODEL = """
import re, threading, time

IN_FLIGHT, LOCK, CALLS = [0], threading.Lock(), []
PLANTED = {planted!r}


def answer(request):
    with LOCK:
        IN_FLIGHT[0] += 1
        together = IN_FLIGHT[0]
    time.sleep(0.004)
    with LOCK:
        crowded = max(together, IN_FLIGHT[0]) > 1
        IN_FLIGHT[0] -= 1
    prompt = request.messages[-1].text
    CALLS.append(prompt)
    seen = prompt[-4000:] if PLANTED == "cut" else prompt
    marker = re.search(r"marker of this text is (\\w+)", seen)
    if PLANTED == "mute" and "marker" in prompt:
        raise RuntimeError("no long texts here")
    if "marker" in prompt:
        text = marker[1] if marker else "I do not know"
    else:
        text = "42"
        if PLANTED == "default" and request.sampling.temperature is None:
            text = "no idea, and here is why: " + "words " * (7 + int(prompt.split()[1]) % 4)
        if PLANTED == "batching" and crowded:
            text = "43"
    return {{
        "text": text,
        "usage": {{"uncached_input": len(seen) // 4, "text_output": len(text.split())}},
    }}
"""
PROJECT = """
project: causes
run: {concurrency: 1}
candidates:
  - {name: m, target: function, model: "MODULE:answer", sampling: {temperature: 0, top_p: 1}}
scenarios:
  - name: sums
    dimension: reasoning
    repeats: 1
    success: The sum.
    failure_modes: [{name: other, pattern: "."}]
    template: "Sum {input}"
    scorers: [match]
    samples: {python: "MODULE:samples"}
"""
SAMPLES = """

def samples():
    return [{"id": f"s{n}", "input": f"{n} + {42 - n}", "target": "42"} for n in range(16)]
"""


def looked(folder, planted, monkeypatch):
    module = f"planted_{planted}"
    (folder / f"{module}.py").write_text(MODEL.format(planted=planted) + SAMPLES)
    (folder / "befit.yaml").write_text(PROJECT.replace("MODULE", module))
    monkeypatch.syspath_prepend(str(folder))
    project = load_project(folder)
    plan = CausesPlan(samples=16, together=8, lengths=(250, 500, 2000), texts=5)
    with Workspace.open(folder / "own") as own:
        return project, look_for_causes(project, plan, own)


def told(causes):
    settings, batching = causes.contrasts
    return settings.outcome, batching.outcome, [one.short for one in causes.beginnings]


def test_where_nothing_is_planted_nothing_is_found(tmp_path, monkeypatch):
    _, causes = looked(tmp_path, "nothing", monkeypatch)
    assert told(causes) == ("not_found", "not_found", [False, False, False])
    assert [line.rpartition(": ")[2] for line in says(causes)] == [
        "no difference beyond chance.",
        "no difference beyond chance.",
        "m: no cut of the context up to 2000 tokens.".partition(": ")[2],
    ]


def test_a_default_unlike_the_explicit_setting_is_found(tmp_path, monkeypatch):
    _, causes = looked(tmp_path, "default", monkeypatch)
    settings, batching = causes.contrasts
    assert (settings.outcome, batching.outcome) == ("found", "not_found")
    assert settings.base == "temperature 0, top_p 1 set"
    assert settings.difference.value == -1.0
    # 6 words and 7 to 10 more, against one: 14.5 on average over 16 samples.
    assert settings.length.value == 14.5
    assert "100 points fewer pass, answers are 14.50 times as long" in says(causes)[0]


def test_answers_that_change_when_calls_come_together_are_found(tmp_path, monkeypatch):
    _, causes = looked(tmp_path, "batching", monkeypatch)
    settings, batching = causes.contrasts
    assert (settings.outcome, batching.outcome) == ("not_found", "found")
    assert batching.changed_anyway.value == 0.0
    assert batching.changed.value > 0.5
    assert "8 calls at a time against 1 call at a time" in says(causes)[1]


def test_a_context_cut_by_the_server_is_found_by_marker_and_bill_and_shown(tmp_path, monkeypatch):
    project, causes = looked(tmp_path, "cut", monkeypatch)
    assert [one.named.value for one in causes.beginnings] == [1.0, 1.0, 0.0]
    assert [one.short for one in causes.beginnings] == [False, False, True]
    assert causes.beginnings[2].billed == 1000
    sentence = says(causes)[-1]
    assert "no longer known from about 2000 tokens on" in sentence
    assert "the context is cut before the model sees it" in sentence
    with Workspace.open(tmp_path / "main") as workspace:
        ran = run_project(project, workspace)
        keep_causes(workspace, causes)
        assert causes_found(workspace, ran.manifest) == (causes,)
        document = make_document(workspace, ran.manifest.id)
    page = render(document)
    assert "Looked for causes" in page
    assert "fewer than sent" in page
    (written,) = to_json(document)["causes"]
    assert written["beginnings"][2]["billed"] == 1000


def test_texts_that_are_never_answered_are_told_and_tell_nothing(tmp_path, monkeypatch):
    _, causes = looked(tmp_path, "mute", monkeypatch)
    assert (causes.beginnings, causes.unanswered) == ((), 15)
    assert says(causes)[-1] == (
        "m: 15 texts with a marker were not answered, so nothing tells whether the context is cut."
    )


class BrokenOffError(Exception):
    """Stands for whatever ends the process."""


def test_a_look_that_broke_off_goes_on_and_pays_for_nothing_twice(tmp_path, monkeypatch):
    module = "planted_off"
    (tmp_path / f"{module}.py").write_text(MODEL.format(planted="nothing") + SAMPLES)
    (tmp_path / "befit.yaml").write_text(PROJECT.replace("MODULE", module))
    monkeypatch.syspath_prepend(str(tmp_path))
    project = load_project(tmp_path)
    plan = CausesPlan(samples=4, together=2, lengths=(250, 500), texts=2)
    told = []

    def say(what):
        told.append(what)
        if what == "alone again" and len(told) < 5:
            raise BrokenOffError

    with Workspace.open(tmp_path / "own") as own:
        with pytest.raises(BrokenOffError):
            look_for_causes(project, plan, own, say=say)
        calls = __import__(module).CALLS
        # Two settings, alone, together: four samples each; nothing of the rest.
        assert len(calls) == 4 * 4
        found = look_for_causes(project, plan, own, say=say)
        assert told[4].startswith("what was begun at ")
        assert len(calls) == plan.calls(4)
        assert [one.outcome for one in found.contrasts] == ["not_found", "not_found"]
        # It is measured to its end, but its findings were lost before they were kept.
        again = look_for_causes(project, plan, own, kept=())
        assert (again, len(calls)) == (found, plan.calls(4))
        look_for_causes(project, plan, own, kept=(found.created_at,))
        assert len(calls) == 2 * plan.calls(4)
        look_for_causes(project, plan, own, anew=True)
        assert len(calls) == 3 * plan.calls(4)


def way(answers):
    return {
        f"s{n}": Measured(passed=(float(text == "42"),), outputs=(text,), tokens=(1,))
        for n, text in enumerate(answers)
    }


def test_answers_that_change_by_themselves_are_no_batching():
    base = way(["42", "41"] * 10)
    other = way(["41", "42"] * 10)
    found = contrast("batching", ("1", "8"), base, other, again=other, planned=40)
    assert (found.changed.value, found.changed_anyway.value) == (1.0, 1.0)
    assert found.changed_more.value == 0.0
    assert found.outcome == "not_found"


def test_samples_count_by_weight_and_document_between_two_ways_of_asking():
    # the 10 of 40 samples that the other way loses weigh 3 and are of two of eight documents
    def told(answers):
        return {
            sample: replace(one, cluster=f"d{n // 5}", weight=3.0 if n < 10 else 1.0)
            for n, (sample, one) in enumerate(way(answers).items())
        }

    base, other = ["42"] * 40, ["41"] * 10 + ["42"] * 30
    found = contrast("settings", ("a", "b"), told(base), told(other), planned=80)
    alone = contrast("settings", ("a", "b"), way(base), way(other), planned=80)
    assert (found.difference.value, alone.difference.value) == (pytest.approx(-0.5), -0.25)
    assert (found.at_other.value, found.changed.value) == (0.5, 0.5)
    assert found.at_other.method == "weighted mean, wilson, pooled ratio, only 8 clusters"
    # both documents fell: by chance that happens in half of all flips of two signs
    assert (found.p_value, alone.p_value) == (0.5, pytest.approx(2 / 2**10))
    assert (found.outcome, alone.outcome) == ("not_found", "found")


def test_what_was_not_measured_both_ways_is_not_measured():
    found = contrast("settings", ("a", "b"), {}, way(["42"]), planned=2)
    assert (found.outcome, found.missing) == ("not_measured", 1)
    assert found.difference.value is None


@pytest.mark.parametrize(
    ("billed", "short"), [([100, 200, 800], False), ([100, 200, 400], True), ([None] * 3, False)]
)
def test_tokens_due_are_carried_on_from_the_two_shortest(billed, short):
    texts = [(100, 400), (200, 800), (800, 3200)]
    found = beginnings(
        [
            Sent(tokens=tokens, chars=chars, named=True, billed=bill)
            for (tokens, chars), bill in zip(texts, billed, strict=True)
        ]
    )
    assert found[-1].short is short
    assert found[-1].counted == (None if billed[0] is None else 800)


def test_refused_texts_are_no_cut_context():
    texts = [(100, 400, False), (200, 800, False), (800, 3200, True)]
    found = beginnings(
        [
            Sent(tokens=t, chars=c, named=not no, billed=None if no else t, refused=no)
            for t, c, no in texts
        ]
    )
    causes = Causes(
        candidate="m", fingerprint="f", scenario="s", created_at="now", contrasts=(),
        beginnings=found,
    )  # fmt: skip
    assert says(causes) == ("m: texts of about 800 tokens are refused, none is cut unsaid.",)


def test_who_never_gives_the_marker_back_is_not_told_to_see_it():
    found = beginnings(
        [Sent(tokens=t, chars=4 * t, named=False, billed=t) for t in (100, 200, 800)]
    )
    causes = Causes(
        candidate="m", fingerprint="f", scenario="s", created_at="now", contrasts=(),
        beginnings=found,
    )  # fmt: skip
    assert "would not show" in says(causes)[0]
